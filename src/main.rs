use tictune::position::*; use tictune::eval::uttt::*; use tictune::search::*; use tictune::seed;
fn main(){
    let o=[1.481980523,1.140677320,1.406688950,0.998994086,0.199311908,-0.81672889,0.059772673,0.404213732];
    let c=[7.47311431679,5.09311003913,-2.8228110614,-2.2634357271,0.19692256855,3.32361428014,3.13352678820,-1.5451956807,-0.8282925953,-0.3731218288,-1.5242912219,1.58642322560,1.11005596994,-1.4313661716];
    let a=SquareTables::new(&COMPREHENSIVE,&c).unwrap();
    let b=SquareTables::new(&ADVANCED,&o).unwrap();
    let n:u64=std::env::args().nth(1).unwrap().parse().unwrap();
    let depth:u32=std::env::args().nth(2).unwrap().parse().unwrap();
    let t=std::time::Instant::now();
    let (mut w,mut d,mut l,mut nodes,mut moves)=(0,0,0,0u64,0u64);
    for g in 0..n { let mut p=Uttt::start(Rules::default()); p.play(UtttMove::CENTRE).unwrap();
        let afirst = g>=n/2;
        let mut ra=seed::generator(seed::mix(0,g),seed::Role::AgentA); let mut rb=seed::generator(seed::mix(0,g),seed::Role::AgentB);
        while p.outcome().is_none() { let aturn=(p.side_to_move()==Player::First)==afirst;
            let (an,mv)= if aturn {let an=Minimax::new(&a).analyse(&p,depth); let m=choose(&p,&an,&mut ra);(an,m)} else {let an=Minimax::new(&b).analyse(&p,depth); let m=choose(&p,&an,&mut rb);(an,m)};
            nodes+=an.nodes; moves+=1; p.play(mv).unwrap();
        }
        match p.outcome().unwrap() {Outcome::Draw=>d+=1, Outcome::Win(x)=> if (x==Player::First)==afirst {w+=1} else {l+=1}}
    }
    let s=t.elapsed().as_secs_f64();
    println!("{w} {d} {l}  nodes/move {} nodes/s {:.2}M games/s {:.1} time {s:.2}", nodes/moves, nodes as f64/s/1e6, n as f64/s);
}
