// What the pages of a server run beside charts.js: parts that change are asked for again, and a board.

// Parts that change ---------------------------------------------------------------------------------------------------

const FOCUSABLE = "a, button, input, select, summary, [tabindex]";

// Puts a new text of a section in the place of the old one, and keeps what the reader did to it.
function replaceSection(old, fresh) {
  const open = [...old.querySelectorAll("details")].map((d) => d.open);
  const scrolled = [...old.querySelectorAll(".scroll")].map((s) => s.scrollLeft);
  const ticked = [...old.querySelectorAll("input:checked")].map((i) => i.value);
  const focused = [...old.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
  fresh = document.adoptNode(fresh);
  old.replaceWith(fresh);
  fresh.querySelectorAll("details").forEach((d, i) => { if (i in open) d.open = open[i]; });
  fresh.querySelectorAll(".scroll").forEach((s, i) => { if (i in scrolled) s.scrollLeft = scrolled[i]; });
  fresh.querySelectorAll("input").forEach((i) => { i.checked = ticked.includes(i.value); });
  if (focused >= 0) fresh.querySelectorAll(FOCUSABLE)[focused]?.focus({ preventScroll: true });
}

// The sections as the server wrote them last, before the reader changed anything.
const seen = new Map();

// Asks for the sections of the page again, and puts those that changed in their places.
async function refresh(main) {
  const query = location.search;
  try {
    const answer = await fetch(main.dataset.live + query);
    // The reader may have chosen other charts meanwhile, or is about to.
    if (!answer.ok || query !== location.search || dragged) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    $("offline").hidden = true;
    const fresh = [...page.querySelectorAll("section[id]")];
    main.querySelectorAll("section[id]").forEach((s) => { if (!fresh.some((f) => f.id === s.id)) s.remove(); });
    let before = null;
    for (const section of fresh) {
      // A new section is put where it belongs; those that are there stay where they are.
      if (!$(section.id)) {
        const made = document.importNode(section, true);
        if (before) before.after(made); else main.prepend(made);
      } else if (seen.get(section.id) !== section.outerHTML) {
        replaceSection($(section.id), section.cloneNode(true));
      }
      seen.set(section.id, section.outerHTML);
      before = $(section.id);
    }
  } catch {
    $("offline").hidden = false;
  }
}

async function watch(main) {
  const is = (state) => main.querySelector(state) !== null;
  main.querySelectorAll("section[id]").forEach((s) => seen.set(s.id, s.outerHTML));
  for (;;) {
    // A list may get new runs; a page of finished runs stays as it is.
    const list = is("#runs");
    if (!list && !is(".state.running") && !is(".state.stopped")) return;
    await new Promise((done) => setTimeout(done, list || !is(".state.running") ? 4000 : 1500));
    if (!document.hidden) await refresh(main);
  }
}

// Parts of charts -----------------------------------------------------------------------------------------------------

// Shows a part of the horizontal axis, or all of it.
function show(from = "", to = "") {
  [$("view").from.value, $("view").to.value] = [from, to];
  redraw();
}

function redraw() {
  history.replaceState(null, "", `?${new URLSearchParams(new FormData($("view")))}`);
  clearTimeout(redraw.timer);
  redraw.timer = setTimeout(() => refresh($("main")), 100);
}

function chooseView(event) {
  if (event.target.form !== $("view") || !$("view")) return;
  // What another axis counts lies elsewhere.
  if (event.target.name === "x") show();
  else if (event.type === "change" || event.target.type === "range") redraw();
}

// The board -----------------------------------------------------------------------------------------------------------

// The game: its moves so far, those that were stepped back over, and what the server said of the position.
const game = { name: "", rules: "", from: "", moves: [], ahead: [], players: null, seed: 0 };
let shown = null;      // the server's answer for the position on the board
let values = new Map(); // what an agent thinks of moves
let cursor = "";       // the square that the arrow keys are on
let hinted = "";       // the move of a hint
let number = 0;        // of the last question: answers to earlier ones are dropped
let answered = 0;      // of the last question that was answered: until then nothing is played
let setup = null;

async function ask(path, question) {
  const answer = await fetch(path, question === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question),
  }).catch(() => { throw new Error("The program does not answer."); });
  const text = await answer.text();
  let found;
  // Some refusals are plain text.
  try { found = JSON.parse(text); } catch { throw new Error(text.trim() || "The program does not answer."); }
  if (!answer.ok) throw new Error(found.error);
  return found;
}

const say = (text) => { $("say").textContent = text; };

function question(kind) {
  return {
    game: game.name, rules: game.rules, from: game.from, moves: game.moves, ask: kind, seed: game.seed, ...opponent(),
  };
}

// The agent and its weights. An agent of a run comes with the weights: it has no text of its own.
function opponent() {
  const own = $("agent").value.trim();
  const level = $("level").value;
  if (!own && level.startsWith("run:")) return { agent: "", weights: level };
  return { agent: own || level, weights: $("weights").disabled ? "" : $("weights").value };
}

// Whether the agent would move, if nobody stepped back.
function isAgents() {
  const side = $("side").value;
  return !game.players && shown.outcome === null && side !== "both" && (side === "none" || side !== shown.to_move);
}

const agentIsNext = () => isAgents() && !game.ahead.length;

// Asks for the position, or for a move of the agent, and shows the answer.
async function go(kind = "position") {
  const mine = ++number;
  values = new Map();
  hinted = "";
  $("thought").textContent = "";
  if (kind === "move") {
    say("The agent thinks ...");
    $("hint").disabled = true;
  }
  try {
    const answer = await ask("/api/position", question(kind));
    if (mine !== number) return;
    answered = mine;
    shown = answer;
    if (kind === "move") { game.ahead = []; }
    game.moves = answer.moves;
    if (answer.choice) thought(answer.choice);
    draw();
    if (agentIsNext()) {
      if ($("side").value === "none") await new Promise((done) => setTimeout(done, 250));
      if (mine === number) await go("move");
    }
  } catch (error) {
    if (mine !== number) return;
    answered = mine;
    say(error.message);
    if (shown) draw(true);
  }
}

function thought(choice) {
  const words = [`${choice.mv} after ${choice.seconds.toFixed(2)} s`];
  if (choice.value) words.push(choice.value);
  if (choice.line.length > 1) words.push("it expects " + choice.line.join(" "));
  $("thought").textContent = words.join("; ");
}

function play(mv) {
  if (!shown || answered !== number || !shown.legal.includes(mv) || game.players || isAgents()) return;
  game.moves = [...game.moves, mv];
  game.ahead = [];
  cursor = mv;
  go();
}

function stepTo(length) {
  const all = [...game.moves, ...game.ahead];
  length = Math.max(0, Math.min(all.length, length));
  game.moves = all.slice(0, length);
  game.ahead = all.slice(length);
  go();
}

// Takes back the last move of a person and what came after it.
function undo() {
  const side = $("side").value;
  let length = game.moves.length - 1;
  if (side === "x" || side === "o") {
    const first = side === "x" ? 0 : 1;
    while (length > 0 && length % 2 !== first) length -= 1;
  }
  if (length < 0) return;
  game.moves = game.moves.slice(0, length);
  game.ahead = [];
  go();
}

async function hint() {
  // A hint is for a person: what the agent thinks of is not interrupted.
  if (!shown || shown.outcome !== null || answered !== number || agentIsNext()) return;
  const mine = ++number;
  say("The agent thinks ...");
  try {
    const answer = await ask("/api/position", question("hint"));
    if (mine !== number) return;
    answered = mine;
    values = new Map(answer.choice.values.map((value) => [value.mv, value]));
    thought(answer.choice);
    hinted = cursor = answer.choice.mv;
    draw();
    const each = answer.choice.milliseconds_each;
    say("Hint: " + answer.choice.mv + (each === null ? "" : `; the values are of moves searched one by one for ${each} ms, to other depths than the hint`));
  } catch (error) {
    if (mine !== number) return;
    answered = mine;
    say(error.message);
  }
}

// A value in as few letters as fit a square.
function brief(value) {
  if (value === "it wins") return "wins";
  if (value === "it loses") return "loses";
  const found = value.match(/-?[0-9.]+( %)?/);
  if (!found) return "";
  const text = Number.parseFloat(found[0]);
  if (found[1]) return `${text}%`;
  if (text === 0) return "0";
  return Math.abs(text) >= 100 ? String(Math.round(text)) : Math.abs(text) < 1 ? text.toFixed(2).replace(/^(-?)0/, "$1") : String(Math.round(10 * text) / 10);
}

function element(name, settings = {}, ...children) {
  const made = document.createElement(name);
  Object.assign(made, settings);
  made.append(...children);
  return made;
}

function square(mv, mark, legal, label) {
  const last = game.moves[game.moves.length - 1] === mv && mark;
  const value = values.get(mv);
  const names = ["square", mark, legal && "legal", last && "last", legal && hinted === mv && "hinted", value && "h" + value.rank];
  const button = element("button", { type: "button", className: names.filter(Boolean).join(" ") }, mark || label || "");
  button.dataset.mv = mv;
  const words = [mv, mark || "empty"];
  if (last) words.push("the last move");
  if (legal && hinted === mv) words.push("the hint");
  if (legal) words.push("may be played");
  if (value) { words.push(value.value); button.append(element("span", { className: "value" }, brief(value.value))); }
  button.title = words.join(", ");
  button.setAttribute("aria-label", words.join(", "));
  button.setAttribute("aria-disabled", String(!legal));
  button.tabIndex = -1;
  button.addEventListener("click", () => play(mv));
  return button;
}

// Shows the position.
function draw(keepWords = false) {
  const had = $("board").contains(document.activeElement);
  const mine = !game.players && !isAgents();
  const legal = new Set(mine ? shown.legal : []);
  const board = $("board");
  if (shown.board) {
    const parts = shown.board.parts.map((part) => {
      const cells = part.squares.map((s) => square(s.mv, s.mark, legal.has(s.mv)));
      const lit = part.squares.some((s) => legal.has(s.mv));
      const names = ["part", lit && shown.board.parts.length === 9 && "live", part.owner && "won-" + part.owner];
      const made = element("div", { className: names.filter(Boolean).join(" ") });
      made.setAttribute("role", "group");
      made.setAttribute("aria-label", part.name + (part.owner ? `, won by ${part.owner}` : ""));
      if (part.columns === 4) made.append(element("div", { className: "name" }, part.name));
      made.append(element("div", { className: `cells cells${part.columns}` }, ...cells));
      return made;
    });
    board.replaceChildren(element("div", { className: `grid-of-parts parts${shown.board.columns}` }, ...parts));
  } else {
    const moves = shown.legal.map((mv) => square(mv, null, legal.has(mv), mv));
    const text = element("pre", {}, shown.drawing);
    const scroll = element("div", { className: "scroll" }, text);
    board.replaceChildren(scroll, element("div", { className: "list" }, ...moves));
  }
  const squares = [...board.querySelectorAll(".square")];
  const on = squares.find((s) => s.dataset.mv === cursor) || squares.find((s) => s.classList.contains("legal")) || squares[0];
  if (on) { on.tabIndex = 0; cursor = on.dataset.mv; if (had) on.focus({ preventScroll: true }); }
  $("drawing").textContent = shown.drawing + "\n" + shown.notation;
  $("moves").replaceChildren(...[...game.moves, ...game.ahead].map((mv, i) =>
    element("li", { className: i === game.moves.length - 1 ? "now" : "" }, mv)));
  $("undo").disabled = game.players !== null || game.moves.length === 0;
  $("let").disabled = shown.outcome !== null || game.players !== null;
  $("hint").disabled = $("let").disabled || agentIsNext();
  $("first").disabled = $("back").disabled = game.moves.length === 0;
  $("last").disabled = $("forward").disabled = game.ahead.length === 0;
  if (!keepWords) say(words());
}

function words() {
  const who = (mark) => {
    if (game.players) return `${mark}, ${game.players[mark === "x" ? 0 : 1]},`;
    const side = $("side").value;
    return side === mark ? "You" : side === "both" || side === "none" ? mark : "The agent";
  };
  const have = (mark) => (who(mark) === "You" ? "have" : "has");
  if (shown.outcome === "draw") return "The game is drawn.";
  if (shown.outcome) return `${who(shown.outcome)} ${have(shown.outcome)} won.`;
  const move = shown.to_move;
  const moves = `${shown.legal.length} moves are legal.`;
  if (game.players) return `${who(move)} moves.`;
  if (who(move) === "You") return `Your move, as ${move}. ${moves}`;
  return game.ahead.length ? `${move} to move, ${game.ahead.length} moves are ahead.` : `${move} to move. ${moves}`;
}

// The square next to another in a direction, by where they are on the screen.
function neighbour(from, dx, dy) {
  const middle = (s) => { const r = s.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; };
  const [x, y] = middle(from);
  let best = null;
  let least = Infinity;
  for (const other of $("board").querySelectorAll(".square")) {
    const [ox, oy] = middle(other);
    const along = (ox - x) * dx + (oy - y) * dy;
    const across = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
    const distance = along + 4 * across;
    if (other !== from && along > 2 && distance < least) { best = other; least = distance; }
  }
  return best;
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const direction = arrows[event.key];
  if (direction && event.target.classList.contains("square")) {
    const next = neighbour(event.target, ...direction);
    if (next) { event.target.tabIndex = -1; next.tabIndex = 0; cursor = next.dataset.mv; next.focus(); }
    event.preventDefault();
    return;
  }
  const keys = { u: "undo", h: "hint", ",": "back", ".": "forward" };
  const button = keys[event.key] && $(keys[event.key]);
  if (button && !button.disabled) button.click();
}

const options = (select, entries) => {
  select.replaceChildren(...entries.map(([value, text]) => element("option", { value }, text)));
};

// Shows what there is to choose for the game.
function chooseGame() {
  const info = setup.games.find((g) => g.name === $("game").value);
  const run = setup.run && setup.run.game === info.name ? setup.run : { vectors: [], agents: [] };
  const ofRun = run.agents.map((vector) => [`run:${run.id}:${vector}`, `the ${vector} of ${run.name}`]);
  options($("level"), [...ofRun, ...info.levels.map((level) => [level.agent, level.name])]);
  const usual = info.levels.find((l) => l.agent === "minimax:depth=4") || info.levels.at(-1);
  $("level").value = ofRun.length ? ofRun[0][0] : usual.agent;
  options($("weights"), [["", info.built_in ? "the strongest built in" : "none"], ...info.weights.map((w) => [w.value, w.name])]);
  // Where the agent itself asks for more than a page may, its weights play with a level.
  const known = run.vectors.map((vector) => `run:${run.id}:${vector}`).find((value) => info.weights.some((w) => w.value === value));
  const first = info.built_in || !info.weights.length ? "" : info.weights[0].value;
  $("weights").value = known || first;
  $("rules").replaceChildren(...info.rules.map(([key, all]) => {
    const select = element("select", {});
    select.dataset.key = key;
    options(select, all.map((value) => [value, value]));
    return element("label", {}, key, select);
  }));
  chooseLevel();
}

// Weights are of agents that evaluate.
function chooseLevel() {
  const info = setup.games.find((g) => g.name === $("game").value);
  const level = info.levels.find((l) => l.agent === $("level").value);
  $("weights").disabled = !$("agent").value.trim() && !(level && level.evaluates);
}

function chosenRules() {
  const selects = [...$("rules").querySelectorAll("select")];
  const changed = selects.filter((s) => s.selectedIndex > 0);
  return changed.map((s) => `${s.dataset.key}=${s.value}`).join(",");
}

function newGame() {
  const seed = Math.floor(Math.random() * 2 ** 32);
  Object.assign(game, { name: $("game").value, rules: chosenRules(), from: "", moves: [], ahead: [], players: null, seed });
  shown = null;
  cursor = "";
  $("board").replaceChildren();
  say("");
  go();
}

async function showSample() {
  const mine = ++number;
  say("The game is played ...");
  try {
    const found = await ask("/api/game", {
      run: setup.run.id, vector: $("sample-vector").value, opponent: Number($("sample-opponent").value),
      number: Number($("sample-number").value) - 1,
    });
    if (mine !== number) return;
    const { game: name, rules, from, moves, opening_plies: opening, players } = found;
    Object.assign(game, { name, rules, from, moves: moves.slice(0, opening), ahead: moves.slice(opening), players });
    go();
  } catch (error) {
    if (mine !== number) return;
    answered = mine;
    say(error.message);
    if (shown) draw(true);
  }
}

async function openBoard() {
  const run = new URLSearchParams(location.search).get("run");
  try {
    setup = await ask("/api/setup" + (run ? "?run=" + encodeURIComponent(run) : ""));
  } catch (error) {
    say(error.message);
    return;
  }
  options($("game"), setup.games.map((g) => [g.name, g.name]));
  if (setup.run) $("game").value = setup.run.game;
  chooseGame();
  if (setup.run) {
    const { agents, opponents, name, rules } = setup.run;
    for (const pair of rules.split(",").filter(Boolean)) {
      const [key, value] = pair.split("=");
      const select = [...$("rules").querySelectorAll("select")].find((s) => s.dataset.key === key);
      if (select) select.value = value;
    }
    if (agents.length && opponents.length) {
      $("sample").hidden = false;
      $("sample-run").textContent = name;
      options($("sample-vector"), agents.map((v) => [v, v]));
      options($("sample-opponent"), opponents);
    }
  }
  $("game").addEventListener("change", () => { chooseGame(); newGame(); });
  $("rules").addEventListener("change", newGame);
  $("level").addEventListener("change", chooseLevel);
  $("agent").addEventListener("input", chooseLevel);
  $("side").addEventListener("change", () => { game.players = null; if (shown) go(); });
  // Where there is little room, the board comes first.
  const fold = () => { if (matchMedia("(max-width: 40rem)").matches) $("settings").open = false; };
  $("setup").addEventListener("submit", (event) => { event.preventDefault(); fold(); newGame(); });
  $("sample").addEventListener("submit", (event) => { event.preventDefault(); showSample(); });
  $("undo").addEventListener("click", undo);
  $("hint").addEventListener("click", hint);
  $("let").addEventListener("click", () => { if (shown && shown.outcome === null) go("move"); });
  $("first").addEventListener("click", () => stepTo(0));
  $("back").addEventListener("click", () => stepTo(game.moves.length - 1));
  $("forward").addEventListener("click", () => stepTo(game.moves.length + 1));
  $("last").addEventListener("click", () => stepTo(game.moves.length + game.ahead.length));
  document.addEventListener("keydown", onKey);
  fold();
  newGame();
}

// -----------------------------------------------------------------------------------------------------------------

for (const kind of ["input", "change"]) document.addEventListener(kind, chooseView);
document.addEventListener("dblclick", (event) => { if (isOfRun(event.target)) show(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && $("view")) show(); });
const main = $("main");
if (main.dataset.live) watch(main);
if ("play" in main.dataset) openBoard();
