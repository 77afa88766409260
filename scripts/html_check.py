"""Drives Chromium over its debugging protocol for scripts/html-check: BROWSER FOLDER REPORT.html..."""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

import websocket

browser, folder, reports = sys.argv[1], sys.argv[2], sys.argv[3:]


class Page:
    """One tab, with everything that it said and asked for."""

    def __init__(self, url):
        self.socket = websocket.create_connection(url, suppress_origin=True, timeout=30)
        self.last = 0
        self.said, self.requests = [], []

    def call(self, method, **params):
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.last:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self.note(message)

    def note(self, message):
        kind, params = message.get("method"), message.get("params", {})
        if kind in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            self.said.append(json.dumps(params)[:300])
        elif kind == "Log.entryAdded":
            self.said.append(params["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif kind == "Page.javascriptDialogOpening":
            self.said.append(f"a dialog: {params['message']}")

    def ask(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def drain(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.ask("0")
            time.sleep(0.05)


# what lies further right than the window, unless it is inside of something that scrolls
WIDER = """(() => [...document.querySelectorAll('body *')].filter(e => {
  if (e.getBoundingClientRect().right <= innerWidth + 1) return false;
  for (let p = e; p; p = p.parentElement) if (['auto', 'scroll'].includes(getComputedStyle(p).overflowX)) return false;
  return true;
}).map(e => e.tagName + ' ' + (e.textContent || '').trim().slice(0, 60)).slice(0, 5))()"""

# the contrast of every text against the background behind it, below what WCAG AA asks for (4.5)
CONTRAST = """(() => {
  const rgb = c => (c.match(/[0-9.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [.2126, .7152, .0722][n], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  const poor = [];
  for (const e of document.querySelectorAll('body *:not(title)')) {  // a tooltip is not painted
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    const style = getComputedStyle(e), svg = e instanceof SVGElement;
    const [a, b] = [light(rgb(svg ? style.fill : style.color)), light(behind(e))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.push(ratio.toFixed(2) + ' ' + e.textContent.trim().slice(0, 40));
  }
  return poor.slice(0, 5);
})()"""

failures = []
profile = tempfile.mkdtemp()
process = subprocess.Popen(
    [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0",
     "--disable-background-networking", "--no-first-run", f"--user-data-dir={profile}", "about:blank"],
    stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
try:
    port = None
    for line in process.stderr:
        if found := re.search(r"DevTools listening on ws://127\.0\.0\.1:(\d+)/", line):
            port = found.group(1)
            break
    assert port, "Chromium did not start"
    tabs = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
    page = Page(next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page"))
    for domain in ("Page", "Runtime", "Log", "Network"):
        page.call(f"{domain}.enable")
    for report in reports:
        url = "file://" + os.path.abspath(report)
        name = os.path.basename(report).removesuffix(".html")
        for theme in ("light", "dark"):
            page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
            for width in (1280, 390):
                page.said, page.requests = [], []
                page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
                page.call("Page.navigate", url=url)
                page.drain(0.5)
                at = f"{name}, {theme}, {width} px"
                failures += [f"{at}: said {text}" for text in page.said]
                failures += [f"{at}: asked for {other}" for other in page.requests if other not in (url, "data:,")]
                # everything is open: what is closed is looked at, too
                page.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
                failures += [f"{at}: wider than the window: {text}" for text in page.ask(WIDER)]
                failures += [f"{at}: poor contrast: {text}" for text in page.ask(CONTRAST)]
                failures += [f"{at}: a script is on the page"] * page.ask("document.querySelectorAll('script, iframe, object, embed').length")
                size = page.call("Page.getLayoutMetrics")["cssContentSize"]
                shot = page.call("Page.captureScreenshot", captureBeyondViewport=True,
                                 clip={"x": 0, "y": 0, "width": width, "height": min(size["height"], 8000), "scale": 1})
                with open(os.path.join(folder, f"{name}.{theme}.{width}.png"), "wb") as file:
                    file.write(base64.b64decode(shot["data"]))
        # the filters work without a script
        hidden = "[...document.querySelectorAll('details.drill')].filter(d => getComputedStyle(d).display === 'none').length"
        filters = page.ask("document.querySelectorAll('input.filter').length")
        if filters > 2:
            page.ask("document.querySelectorAll('input.filter')[1].click()")
            if not page.ask(hidden):
                failures.append(f"{name}: a filter hides nothing")
finally:
    process.terminate()
    process.wait()
print("\n".join(failures) or f"{len(reports)} reports: nothing said, nothing asked for, nothing too wide, contrast kept")
sys.exit(1 if failures else 0)
