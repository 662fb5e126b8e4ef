# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Code that the tests of the page of `weft sm --http` share: opening views, waiting for text, the keyboard, axe-core."""
import functools
import pathlib

from webdriver import TAB  # must be first: adds the folder of tests/interop to the path
import weft_interop as interop
from weft_interop import check

BUILD = pathlib.Path(interop.weft_binary()).parents[1]
TABBABLE = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
    .filter(e => !e.disabled && e.checkVisibility({visibilityProperty: true}) && !e.closest('dialog:not([open])'))"""


def page_or_skip():
    page = BUILD / "web" / "index.html"
    if not page.exists():
        interop.skip(f"the page is not built: {page} does not exist")


def address(manager, view=""):
    return f"http://127.0.0.1:{manager.http.port}/#/{view}"


def wait_for_text(browser, selector, *parts):
    """Waits until the text of the element contains all parts, ignoring markup."""
    browser.wait("const e = document.querySelector(arguments[0]); return e && arguments[1].every(part => e.textContent.includes(part))",
                 selector, list(parts))


def visit(browser, manager, view, selector):
    browser.visit("about:blank")
    browser.visit(address(manager, view))
    browser.wait("return document.querySelector(arguments[0]) !== null", selector)


def drawn(browser, words):
    browser.wait("const c = document.getElementById('canvas'); return c && c.dataset.drawn === arguments[0]", words)
    browser.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def performance_options(folder):
    """Options for a performance manager. The sockets of ibsim buffer few MADs; a sender that exceeds the buffer blocks all threads
    of its process."""
    (folder / "counting.conf").write_text("perfmgr TRUE\nperfmgr_sweep_time_s 1\nperfmgr_max_outstanding_queries 16\n")
    return ("-F", folder / "counting.conf")


START = "document.activeElement.blur(); document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex');"


def tab_to(browser, selector):
    """Moves the focus by Tab alone, from the start of the document to the element."""
    browser.run(START)
    steps = browser.run(f"return {TABBABLE}.indexOf(document.querySelector(arguments[0]))", selector) + 1
    check(steps > 0, f"{selector} has no position in the Tab order")
    browser.hold(TAB, steps)
    # Areas that scroll, and the parts of a date, may be additional stops of Tab.
    for _ in range(40):
        if browser.run("return document.activeElement === document.querySelector(arguments[0])", selector):
            return
        browser.press(TAB)
    check(False, f"Tab moves the focus to {browser.run('return document.activeElement.outerHTML')[:200]}, expected {selector}")


def tab_order(browser, view):
    """Controls of the view that Tab does not reach, or that do not show the focus, as text."""
    browser.run(START + f"window.controls = {TABBABLE};" + """window.walked = new Set(); window.unmarked = []; window.walking?.abort(); window.walking = new AbortController();
        document.addEventListener('focusin', ({target}) => {
          walked.add(target);
          if (getComputedStyle(target).outlineStyle === 'none' && target.id !== 'main') unmarked.push(target);
        }, {signal: walking.signal})""")
    controls, dates = browser.run("return [window.controls.length, document.querySelectorAll('[type=datetime-local]').length]")
    check(controls > 10, f"{view}: {controls} controls, expected more than 10")
    browser.hold(TAB, controls + 8 + 8 * dates)
    missed = browser.run(f"const now = new Set({TABBABLE}); return window.controls.filter(e => now.has(e) && !walked.has(e)).map(e => e.outerHTML.slice(0, 200))")
    wrong = [f"{view}: Tab does not reach {one}" for one in missed]
    # The first measurement is made while the focus changes; controls that failed are measured again afterwards.
    for index in browser.run(f"return unmarked.map(e => {TABBABLE}.indexOf(e)).filter(i => i >= 0)"):
        browser.run(START)
        browser.hold(TAB, index + 1)
        hidden = browser.run("const e = document.activeElement; return getComputedStyle(e).outlineStyle === 'none' ? e.outerHTML.slice(0, 200) : ''")
        wrong += [f"{view}: the focus is not visible on {hidden}"] if hidden else []
    return wrong


@functools.cache
def axe_source():
    return (BUILD / "web-work" / "page" / "node_modules" / "axe-core" / "axe.min.js").read_text()


def violations(browser, rules=None):
    """The violations that axe-core finds on the page, as lines; by all its rules, or only by `rules`."""
    browser.run("if (!window.axe) { " + axe_source() + " }")
    found = browser.run("""return axe.run(document, {resultTypes: ['violations'], preload: false, ...(arguments[0] ? {runOnly: {type: 'rule', values: arguments[0]}} : {})})
        .then(({violations}) => violations.map(({id, help, nodes}) => `${id}: ${help}: ${nodes.slice(0, 3).map(({html, any}) => `${html.slice(0, 160)} ${any[0]?.message ?? ''}`).join(' | ')}`))""", rules)
    return found


def wider_than_window(browser, view):
    """An error text if the page is wider than the window at the current width; areas that scroll may be wider."""
    wide = browser.run("return document.documentElement.scrollWidth > innerWidth + 1 ? [document.documentElement.scrollWidth, innerWidth] : null")
    return [f"{view}: the page is {wide[0]} pixels wide, the window {wide[1]}"] if wide else []
