"""A headless Chromium, driven by Selenium."""
import base64
import shutil

from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]
KEYS = {"Enter": Keys.ENTER, "Escape": Keys.ESCAPE, "ArrowRight": Keys.ARROW_RIGHT, "ArrowDown": Keys.ARROW_DOWN}


def program():
    """The browser's path; None if there is none."""
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


class Browser:
    """A browser with one page."""

    def __init__(self, width=1280, height=900):
        options = webdriver.ChromeOptions()
        options.binary_location = program()
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "SEVERE"})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
        self.size(width, height)

    def errors(self):
        """The errors of scripts and of the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def size(self, width, height, phone=False):
        """The size of the window in CSS pixels."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 2 if phone else 1, "mobile": phone})

    def dark(self, dark=True):
        """Whether the person prefers dark pages."""
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def open(self, url):
        """Opens a page and waits until it is there."""
        self.driver.get(url)

    def run(self, script):
        """The value of an expression in the page, or of statements."""
        return self.driver.execute_script("return eval(arguments[0])", script)

    def wait(self, script, seconds=90):
        """Waits until an expression holds in the page."""
        WebDriverWait(self.driver, seconds, 0.05).until(lambda _: self.run(f"Boolean({script})"), script)

    def press(self, key):
        """Presses a key where the focus is."""
        webdriver.ActionChains(self.driver).send_keys(KEYS[key]).perform()

    def point(self, x, y):
        """Moves the pointer to a place of the window."""
        self._act(lambda pointer: pointer.move_to_location(x, y))

    def drag(self, start, end):
        """Drags from one place of the window to another."""
        def act(pointer):
            pointer.move_to_location(*start)
            pointer.pointer_down()
            pointer.move_to_location(*end)
            pointer.pointer_up()
        self._act(act)

    def double_click(self, x, y):
        """Clicks twice at a place of the window."""
        def act(pointer):
            pointer.move_to_location(x, y)
            for _ in range(2):
                pointer.pointer_down()
                pointer.pointer_up()
        self._act(act)

    def _act(self, moves):
        actions = webdriver.ActionChains(self.driver, duration=0)
        moves(actions.w3c_actions.pointer_action)
        actions.w3c_actions.perform()

    def screenshot(self, path, whole=False):
        """Writes what is seen, or the whole page, as PNG."""
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": whole})
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        """Ends the browser."""
        self.driver.quit()
