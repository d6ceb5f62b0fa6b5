"""A headless Chromium, driven over its debugging pipe with nothing but Python's own library.

The protocol is JSON with a NUL behind each message, on descriptors 3 (to the browser) and 4 (from it). Every
page that is opened is watched: what it writes to the console, exceptions, and everything it asks the network
for are kept in `errors` and `requests`.
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, width=1400, height=1000):
        self.profile = tempfile.mkdtemp(prefix="heddle-page-")
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()

        def descriptors():  # in the child: its ends as 3 and 4
            os.setsid()
            high = os.dup(to_browser), os.dup(from_browser)
            spare = [os.open(os.devnull, os.O_RDONLY) for _ in range(6)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
            del spare

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--force-color-profile=srgb", f"--user-data-dir={self.profile}",
             f"--window-size={width},{height}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=descriptors, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.rest, self.session = 0, b"", None
        self.errors, self.requests, self.answers, self.events = [], [], {}, []
        pages = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in pages if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.size(width, height)

    # --- messages

    def take(self, seconds):
        """Reads what has come; keeps answers by number and looks at events."""
        ready, _, _ = select.select([self.inp], [], [], max(0, seconds))
        if not ready:
            return
        data = os.read(self.inp, 1 << 20)
        if not data:
            raise RuntimeError("the browser has ended")
        *whole, self.rest = (self.rest + data).split(b"\0")
        for text in whole:
            message = json.loads(text)
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.look(message)

    def look(self, message):
        method, p = message["method"], message.get("params", {})
        if method == "Runtime.exceptionThrown":
            d = p["exceptionDetails"]
            self.errors.append(d.get("exception", {}).get("description") or d["text"])
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])
        self.events.append(method)

    def call(self, method, seconds=60, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + seconds
        while self.number not in self.answers:
            if time.monotonic() > end:
                raise TimeoutError(method)
            self.take(end - time.monotonic())
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    # --- what a reader does

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def media(self, scheme=None, medium=""):
        features = [{"name": "prefers-color-scheme", "value": scheme}] if scheme else []
        self.call("Emulation.setEmulatedMedia", media=medium, features=features)

    def open(self, path, seconds=60):
        """Opens a file and waits until the page says that it is drawn; returns the seconds that took."""
        self.errors, self.requests, self.events = [], [], []
        begin = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while time.monotonic() - begin < seconds:
            try:
                if self.js("document.documentElement.dataset.ready"):
                    return time.monotonic() - begin
            except RuntimeError:
                pass  # between two documents
            self.take(0.02)
        raise TimeoutError(f"{path} was not drawn in {seconds} s")

    def js(self, expression):
        r = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return r["result"].get("value")

    def place(self, selector):
        """The middle of the first such element, after scrolling to it."""
        return self.js("""(async () => {
            const e = document.querySelector(%s);
            if (!e) throw new Error('there is no ' + %s);
            e.scrollIntoView({block: 'center'});
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const b = e.getBoundingClientRect();
            return [b.left + b.width / 2, b.top + b.height / 2];
        })()""" % (json.dumps(selector), json.dumps(selector)))

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector):
        x, y = self.place(selector)
        self.mouse("mouseMoved", x, y)
        self.js("new Promise((done) => setTimeout(done, 60))")  # what scrolling hid may come back
        self.mouse("mouseMoved", x + 1, y)

    def click(self, selector):
        x, y = self.place(selector)
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def drag(self, x1, y1, x2, y2):
        self.mouse("mouseMoved", x1, y1)
        self.mouse("mousePressed", x1, y1, button="left", clickCount=1, buttons=1)
        for i in range(1, 9):
            self.mouse("mouseMoved", x1 + (x2 - x1) * i / 8, y1 + (y2 - y1) * i / 8, button="left", buttons=1)
        self.mouse("mouseReleased", x2, y2, button="left", clickCount=1)

    def press(self, key):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
                 "Home": 36, "End": 35}
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key],
                      **(text if kind == "keyDown" else {}))

    def picture(self, path, whole=True):
        clip = {}
        if whole:
            w, h = self.js("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
            clip = {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": w, "height": h, "scale": 1}}
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png", **clip)["data"]))

    def paper(self):
        """The page as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        shutil.rmtree(self.profile, ignore_errors=True)
