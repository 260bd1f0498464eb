use super::*;

type Row = (u32, String);

fn header() -> [String; 2] {
    ["number", "name"].map(String::from)
}

fn open(path: &Path) -> Result<Journal<Row>, JournalError> {
    Journal::open(path, &header())
}

fn row(number: u32) -> Row {
    (number, "a, \"b\"".into())
}

/// Takes rows 0 to 4 in batches of two, two and one; gives them, and the numbers of those that were made.
fn play(path: &Path) -> Result<(Vec<Row>, Vec<u32>), JournalError> {
    let mut log = open(path)?;
    let (mut rows, mut made) = (Vec::new(), Vec::new());
    let check = |number: u32, found: ReadFields<'_>| match found.is(&row(number)) {
        true => found.read().ok_or_else(|| "is no row".into()),
        false => Err(format!("expected row {number}")),
    };
    for first in [0, 2] {
        rows.extend(log.next_rows::<JournalError>(
            2,
            |index, found| check(first + index as u32, found),
            |done, put| {
                (first + done.len() as u32..first + 2).try_for_each(|number| {
                    made.push(number);
                    put(row(number))
                })
            },
        )?);
    }
    rows.push(log.next(
        |found| check(4, found),
        || {
            made.push(4);
            Ok::<_, JournalError>(row(4))
        },
    )?);
    log.finish("too many")?;
    Ok((rows, made))
}

#[test]
fn what_the_file_holds_is_read_and_only_the_rest_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    let expected: Vec<Row> = (0..5).map(row).collect();
    assert_eq!(play(&path).unwrap(), (expected.clone(), vec![0, 1, 2, 3, 4]));
    let whole = std::fs::read_to_string(&path).unwrap();
    // All zeroes are no journal yet.
    std::fs::write(&path, [0; 9]).unwrap();
    assert_eq!(play(&path).unwrap().1.len(), 5);
    for end in 0..=whole.len() {
        std::fs::write(&path, &whole[..end]).unwrap();
        let there = (whole[..end].matches('\n').count() as u32).saturating_sub(1);
        assert_eq!(play(&path).unwrap(), (expected.clone(), (there..5).collect::<Vec<_>>()));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    }
    // Of what is no journal nothing is taken, and nothing changed.
    for foreign in ["my notes", "number,nam3", "number,name,more", "a,b\n1,2\n3,"] {
        std::fs::write(&path, foreign).unwrap();
        let error = open(&path).unwrap_err().to_string();
        assert!(error.contains("log.csv:1: the columns are not those of this run"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
    }
}
