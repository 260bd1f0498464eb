#!/usr/bin/env python3
"""Tests the page of `tictune serve` and reports in a real browser:

    python3 tests/browser/pages.py [--fast] target/release/tictune [SCREENSHOTS]

Charts are there, no script fails, games are played to their end by mouse and by keyboard, a run is watched to its end.
With a folder, screenshots are written there. `--fast` watches no run.
"""
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

from browser import Browser, program

CONFIG = (pathlib.Path(__file__).parent / "config.toml").read_text()


def evolve(binary, folder, name, **settings):
    """Starts a run in the folder of runs."""
    values = {"name": name, "evaluation": "advanced", "seed": 1, "games": 20, "generations": 6, **settings}
    config = folder / f"{name}.toml"
    config.write_text(CONFIG.format(**values))
    return subprocess.Popen([binary, "evolve", config, "--out", folder / "runs" / name, "--threads", "1"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Shots:
    """Screenshots, if there is a folder for them."""
    def __init__(self, browser, folder):
        self.browser, self.folder = browser, folder

    def take(self, name, whole=False):
        if self.folder:
            self.browser.screenshot(self.folder / f"{name}.png", whole)


def fits(browser):
    """Fails if the page is wider than the window."""
    wide = browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{browser.run('location.href')} is {wide} pixels too wide"


def test_runs_and_a_run(browser, site, shots):
    browser.open(site)
    browser.wait("document.querySelectorAll('.runs tbody tr').length >= 2")
    shots.take("runs")
    fits(browser)
    browser.run("[...document.querySelectorAll('a')].find(a => a.textContent === 'first').click()")
    browser.wait("document.querySelector('h1')?.textContent === 'Run first'")
    for title in ["Fitness", "Step size", "Standard deviations", "Principal axes"]:
        found = f"[...document.querySelectorAll('figcaption')].find(c => c.firstChild.textContent.startsWith('{title}'))"
        drawn = f"{found}.parentElement.querySelector('.curve').getBBox().width > 100"
        assert browser.run(drawn), title
    assert browser.run("document.querySelectorAll('#paths figure').length") == 8
    assert browser.run("document.querySelectorAll('#correlations tbody tr').length") == 8
    assert browser.run("document.querySelectorAll('#directions tbody tr').length") == 8
    assert browser.run("document.querySelectorAll('#validation tbody td[class^=h]').length") >= 4
    assert browser.run("document.querySelectorAll('#weights .squares').length") == 2
    browser.wait("document.readyState === 'complete'")
    # The pointer in the middle of a chart gets the values of its curves there.
    point_at(browser, "Fitness", 0.5)
    values = browser.run("document.getElementById('values').textContent").split("\n")
    assert re.fullmatch(r"generation \d+", values[0]) and len(values) == 4, values
    for name in ["mean vector", "median", "best"]:
        assert any(re.fullmatch(name + r" -?\d+(\.\d+)?", line) for line in values), (name, values)
    assert browser.run("document.querySelectorAll('#evolution .at').length") == 1
    # The curve nearest to the pointer comes first.
    for name in ["mean vector", "median"]:
        last = f"document.querySelector('#evolution .curve[data-name=\"{name}\"]').getPointAtLength(1e9)"
        x, y = browser.run(f"(point => [point.x, point.y])({last}.matrixTransform(document.querySelector('#evolution svg').getScreenCTM()))")
        browser.point(x, y)
        assert browser.run("document.getElementById('values').textContent").split("\n")[1].startswith(name)
    browser.point(5, 5)
    assert browser.run("document.getElementById('values').hidden") and not browser.run("document.querySelectorAll('.at').length")
    # The style is there: a page without it has black text on white in the dark, too.
    browser.dark()
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 28)"
    shots.take("run-dark")
    browser.dark(False)
    shots.take("run", whole=True)
    for phone in [True, False]:
        browser.size(390 if phone else 1280, 844 if phone else 900, phone)
        fits(browser)
        shots.take("run-phone" if phone else "run-top")


def chart(browser, title):
    """The left end, the width and the middle height of a chart on the screen."""
    found = f"[...document.querySelectorAll('figure')].find(f => f.textContent.trim().startsWith('{title}')).querySelector('svg')"
    browser.run(f"{found}.scrollIntoView({{ block: 'center' }})")
    return browser.run(f"(box => [box.left, box.width, box.top + box.height / 2])({found}.getBoundingClientRect())")


def point_at(browser, title, share):
    """Moves the pointer to a place of a chart, from 0 at its left end to 1."""
    left, width, middle = chart(browser, title)
    browser.point(left + share * width, middle)


def values_along(browser, title):
    """What the pointer reads along a chart: the values of the first curve by their generation."""
    found = {}
    for step in range(20):
        point_at(browser, title, 0.14 + 0.043 * step)
        lines = sorted(browser.run("document.getElementById('values').textContent").split("\n"))
        at = next(line for line in lines if line.startswith("generation "))
        found[int(at.split()[1])] = float(lines[-1].split()[-1])
    return found


# The last generation in the charts of a page, if all have the same.
LAST = "[...document.querySelectorAll('#evolution svg, #paths svg')].map(s => JSON.parse(s.dataset.axes)[0][3]).reduce((a, b) => a === b ? a : 0)"


def zoom(browser, title):
    """Drags along a chart, from generation 3 to 7."""
    left, width, middle = chart(browser, title)
    browser.drag([left + 0.3 * width, middle], [left + 0.6 * width, middle])
    browser.wait(f"/from=3&to=7&/.test(location.search) && {LAST} === 7")


def test_charts_are_explored(browser, site, shots):
    browser.size(1280, 900)
    browser.open(site + "run/first")
    # On a linear and on a logarithmic axis, values are the same whatever part is shown.
    titles = ["Fitness", "Standard deviations"]
    whole = [values_along(browser, title) for title in titles]
    assert set(whole[0]) == set(range(1, 13)), whole[0]
    zoom(browser, "Step size")
    for all_of_it, title in zip(whole, titles):
        part = values_along(browser, title)
        assert set(part) == {3, 4, 5, 6, 7}, part
        for generation, value in part.items():
            assert abs(value - all_of_it[generation]) <= 0.02 * abs(value) + 0.01, (title, generation, value, all_of_it)
    shots.take("zoomed")
    browser.press("Escape")
    browser.wait(f"{LAST} === 12")
    assert "from=&to=&" in browser.run("location.search")
    # The axis and the smoothing, and the same page without a script.
    choose = "document.querySelector('#view').{} = '{}', document.querySelector('#view [name={}]')"
    event = ".dispatchEvent(new Event('input', { bubbles: true }))"
    browser.run(choose.format("x.value", "games", "x") + event)
    browser.wait("[...document.querySelectorAll('#evolution svg')].every(s => JSON.parse(s.dataset.axes)[2] === 'games')")
    browser.run(choose.format("smooth.value", "2", "smooth") + event)
    browser.wait("document.querySelector('#evolution figcaption').textContent.includes('means of 5 generations')")
    by_script = browser.run("document.querySelector('#evolution').innerHTML")
    browser.open(site + "run/first?x=games&smooth=2")
    assert browser.run("document.querySelector('#evolution').innerHTML") == by_script
    assert browser.run("document.querySelector('#view').x.value + document.querySelector('#view').smooth.value") == "games2"
    browser.open(site + "run/first?from=100")
    assert "in this range" in browser.run("document.querySelector('#evolution').textContent")


def test_several_runs(browser, site, shots, names):
    browser.open(site)
    browser.run(f"document.querySelectorAll('.runs tbody tr').forEach(r => {{"
                f"if ({names}.includes(r.querySelector('a').textContent)) r.querySelector('input').checked = true}})")
    browser.run("document.querySelector('form button').click()")
    browser.wait(f"document.querySelectorAll('#evolution .curve').length >= {5 * len(names)}")
    assert browser.run("document.querySelectorAll('#paths figure').length") == 8
    assert browser.run("document.querySelectorAll('#validation tbody tr').length") >= 4
    assert "seed" in browser.run("document.getElementById('differences').textContent")
    shots.take("compare")
    fits(browser)
    # Charts answer the pointer and a drag, and a double click shows all generations again.
    point_at(browser, "Sigma", 0.5)
    values = browser.run("document.getElementById('values').textContent").split("\n")
    assert values[0].startswith("generation ") and len(values) == 1 + len(names), values
    zoom(browser, "Sigma")
    left, width, middle = chart(browser, "Sigma")
    browser.double_click(left + 0.5 * width, middle)
    browser.wait(f"{LAST} === 12")


def test_a_live_run(browser, site, binary, folder):
    # Some seconds of an optimised build, and three times as many of one for tests.
    run = evolve(binary, folder, "live", games=2000, generations=15)
    try:
        browser.open(site)
        # It appears in the list without a reload.
        browser.wait("[...document.querySelectorAll('.runs a')].some(a => a.textContent === 'live')")
        browser.run("[...document.querySelectorAll('a')].find(a => a.textContent === 'live').click()")
        browser.wait("document.querySelector('h1')?.textContent === 'Run live'")
        browser.run("window.sameDocument = true")
        browser.wait("document.querySelector('#evolution .curve') && document.querySelector('.state.running')")
        points = "document.querySelector('#evolution .curve').getAttribute('d').split(' ').length"
        before = browser.run(points)
        browser.wait(f"{points} > {before}")
        browser.wait("document.querySelector('.state.finished')", 240)
        assert browser.run("document.querySelector('#validation') !== null && window.sameDocument")
        assert run.wait(timeout=30) == 0
    finally:
        run.kill()


def start_game(browser, game, level, side="x", weights=""):
    browser.run(f"""{{
        const [game, level, weights, side] = ['game', 'level', 'weights', 'side'].map((id) => document.getElementById(id));
        game.value = '{game}';
        game.dispatchEvent(new Event('change'));
        level.value = '{level}';
        level.dispatchEvent(new Event('change'));
        weights.value = '{weights}';
        side.value = '{side}';
        document.querySelector('#setup button').click();
    }}""")


TURN = "/^Your move|^Hint|won|drawn/.test(document.getElementById('say').textContent)"
OVER = "/won|drawn/.test(document.getElementById('say').textContent)"


def play_to_the_end(browser, pick):
    """Plays until the game is over, and returns its last words and its moves."""
    for _ in range(100):
        browser.wait(TURN)
        if browser.run(OVER):
            break
        moves = browser.run("document.querySelectorAll('#moves li').length")
        pick()
        browser.wait(f"document.querySelectorAll('#moves li').length > {moves}")
    words = browser.run("document.getElementById('say').textContent")
    return words, browser.run("document.querySelectorAll('#moves li').length")


def test_games(browser, site, shots):
    browser.open(site + "play")
    browser.wait(TURN)
    click_first = "document.querySelector('.square.legal').click()"
    # The first legal move against a search: a game that somebody wins or draws.
    start_game(browser, "uttt", "minimax:depth=2", weights="liang-default")
    browser.wait("document.querySelectorAll('.square.legal').length === 81")
    browser.run("document.querySelector('[data-mv=\"4,4\"]').click()")
    browser.wait("document.querySelectorAll('#moves li').length === 2 && " + TURN)
    browser.run("document.getElementById('hint').click()")
    browser.wait("document.querySelector('.square .value')")
    assert browser.run("document.querySelectorAll('.square.h10').length >= 1")
    assert browser.run("document.querySelectorAll('.square.hinted').length") == 1
    # The whole board is on the screen.
    assert browser.run("document.getElementById('board').getBoundingClientRect().bottom") <= 900
    shots.take("play")
    browser.dark()
    shots.take("play-dark")
    browser.dark(False)
    browser.size(390, 844, phone=True)
    fits(browser)
    shots.take("play-phone")
    browser.open(site + "play")
    browser.wait(TURN)
    # The settings are folded, so that the whole board is on the screen of a phone, too.
    assert browser.run("document.getElementById('board').getBoundingClientRect().bottom") <= 844
    shots.take("play-phone-new")
    browser.size(1280, 900)
    browser.open(site + "play")
    browser.wait(TURN)
    start_game(browser, "uttt", "minimax:depth=2", weights="liang-default")
    browser.wait("document.querySelectorAll('.square.legal').length === 81")
    words, moves = play_to_the_end(browser, lambda: browser.run(click_first))
    assert re.fullmatch(r"(You have|The agent has) won\.|The game is drawn\.", words) and moves >= 17, (words, moves)
    # Undo takes back two moves, and steps go to the start and back.
    browser.run("document.getElementById('first').click()")
    browser.wait("!document.querySelector('.square.x') && document.querySelector('.square')")
    browser.run("document.getElementById('last').click()")
    browser.wait(OVER)
    browser.run("document.getElementById('undo').click()")
    browser.wait(f"document.querySelectorAll('#moves li').length < {moves} && " + TURN)
    # By keyboard alone, on four layers.
    start_game(browser, "qubic", "random")
    browser.wait("document.querySelectorAll('.square.legal').length === 64")
    browser.run("document.querySelector('.square').focus()")
    assert browser.run("document.activeElement.dataset.mv") == "1,1,1"
    browser.press("ArrowRight")
    browser.press("ArrowDown")
    assert browser.run("document.activeElement.dataset.mv") == "1,2,2"
    browser.press("Enter")
    browser.wait("document.querySelectorAll('#moves li').length === 2 && " + TURN)
    assert browser.run("document.querySelector('[data-mv=\"1,2,2\"]').classList.contains('x')")
    shots.take("qubic")

    def by_keyboard():
        browser.run("document.querySelector('.square.legal').focus()")
        browser.press("Enter")

    words, moves = play_to_the_end(browser, by_keyboard)
    assert re.search("won|drawn", words) and moves >= 8, (words, moves)
    # A hint does not keep the agent from its move.
    browser.run("document.getElementById('agent').value = 'mcts:time=1s'")
    start_game(browser, "uttt", "random", side="o")
    browser.wait("document.getElementById('say').textContent === 'The agent thinks ...'")
    browser.run("hint()")
    browser.wait("document.querySelectorAll('#moves li').length === 1 && " + TURN)
    browser.run("document.getElementById('agent').value = ''")
    # Two agents, watched.
    start_game(browser, "uttt", "random", side="none")
    browser.wait(OVER)
    assert browser.run("document.getElementById('say').textContent").startswith(("x has", "o has", "The game"))
    # A game without a board is a list of moves.
    start_game(browser, "chess", "random")
    browser.wait("document.querySelectorAll('.list .square.legal').length === 20")


def test_a_game_of_a_run(browser, site):
    browser.open(site)
    browser.run("[...document.querySelectorAll('a')].find(a => a.textContent === 'first').click()")
    browser.wait("[...document.querySelectorAll('a')].find(a => a.textContent === 'Play against it')")
    browser.run("[...document.querySelectorAll('a')].find(a => a.textContent === 'Play against it').click()")
    browser.wait("document.querySelector('#sample:not([hidden])')")
    # It is the agent of the run that plays, and it plays.
    assert browser.run("document.getElementById('level').value").startswith("run:")
    assert browser.run("document.getElementById('level').selectedOptions[0].textContent") == "the best of first"
    browser.wait("document.querySelectorAll('.square.legal').length === 81")
    browser.run("document.querySelector('[data-mv=\"4,4\"]').click()")
    browser.wait("document.querySelectorAll('#moves li').length === 2 && " + TURN)
    # A game that is not there leaves the board as it is.
    browser.run("setup.run.id = 'none'")
    browser.run("document.querySelector('#sample button').click()")
    browser.wait("/no such run/.test(document.getElementById('say').textContent)")
    browser.run("document.querySelector('.square.legal').click()")
    browser.wait("document.querySelectorAll('#moves li').length === 4 && " + TURN)
    browser.run("setup.run.id = $('level').value.split(':')[1]")
    browser.run("document.querySelector('#sample button').click()")
    browser.wait("document.querySelectorAll('#moves li').length > 10")
    for _ in range(2):
        browser.run("document.getElementById('forward').click()")
    browser.wait("document.querySelectorAll('.square.x').length + document.querySelectorAll('.square.o').length >= 5")
    browser.run("document.getElementById('last').click()")
    browser.wait(OVER)
    # The refusal was wanted, and there is nothing else.
    refusals = browser.errors()
    assert len(refusals) == 1 and "/api/game" in refusals[0] and "400" in refusals[0], refusals


def test_a_report(browser, binary, folder, shots):
    """A report opens from disk, and needs nothing else."""
    subprocess.run([binary, "report", folder / "runs/first"], check=True, stderr=subprocess.DEVNULL)
    text = (folder / "runs/first/report.html").read_text()
    assert not re.search(r"(src|href)=|url\(", text)
    browser.open((folder / "runs/first/report.html").as_uri())
    assert browser.run("document.querySelectorAll('svg[role=img]').length") >= 12
    assert len(values_along(browser, "Fitness")) > 2
    both = folder / "both.html"
    runs = [folder / "runs/first", folder / "runs/second"]
    subprocess.run([binary, "report", *runs, "--out", both], check=True, stderr=subprocess.DEVNULL)
    browser.open(both.as_uri())
    assert browser.run("document.querySelectorAll('svg[role=img]').length") >= 13
    shots.take("report-both")


def main():
    is_fast = "--fast" in sys.argv
    binary, *shots_folder = [pathlib.Path(name).resolve() for name in sys.argv[1:] if name != "--fast"]
    if program() is None:
        sys.exit("no browser: install chromium")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "runs").mkdir()
        runs = [evolve(binary, folder, "first"), evolve(binary, folder, "second", seed=2, games=40), evolve(binary, folder, "third", seed=3)]
        assert not any(run.wait(timeout=300) for run in runs)
        server = subprocess.Popen([binary, "serve", folder / "runs", "--port", "0"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        browser = None
        try:
            site = server.stdout.readline().strip()
            browser = Browser()
            shots = Shots(browser, shots_folder[0] if shots_folder else None)
            tests = [
                lambda: test_runs_and_a_run(browser, site, shots),
                lambda: test_charts_are_explored(browser, site, shots),
                lambda: test_several_runs(browser, site, shots, ["first", "second"]),
                lambda: test_several_runs(browser, site, shots, ["first", "second", "third"]),
                lambda: test_games(browser, site, shots),
                lambda: test_a_game_of_a_run(browser, site),
                lambda: test_a_report(browser, binary, folder, shots),
            ]
            if not is_fast:
                tests.append(lambda: test_a_live_run(browser, site, binary, folder))
            for test in tests:
                test()
                errors = browser.errors()
                assert not errors, errors
            server.send_signal(signal.SIGINT)
            assert server.wait(timeout=5) == 0
            print(f"{len(tests)} passed, 0 failed")
        finally:
            server.kill()
            if browser:
                browser.close()


if __name__ == "__main__":
    main()
