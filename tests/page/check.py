"""One check in a browser: what is not as it should be, told under one name."""

import contextlib

LIST = "document.querySelector('#list .row')"


def opened(browser, path, address='overview'):
    """Opens a page as a link does, anew even where only the address differs."""
    browser.go('about:blank')
    browser.go(f'{path.as_uri()}#{address}')
    if address.startswith('samples'):
        browser.wait(f"{LIST} || document.querySelector('#count')?.textContent.startsWith('0 ')")
    else:
        browser.wait("document.querySelector('main h1')")


def shown(browser):
    return browser.run("return document.querySelector('#count').textContent")


def counted(browser, words):
    browser.wait("document.querySelector('#count').textContent === arguments[0]", words)


def sample_title(browser):
    return browser.run("return document.querySelector('#sample-title')?.textContent ?? ''")


def wait_title(browser, words):
    browser.wait("document.querySelector('#sample-title')?.textContent === arguments[0]", words)


class Check:
    """Collects what is not as it should be, and tells it under one name."""

    def __init__(self, browser, tally):
        self.browser, self.tally, self.failures = browser, tally, []

    def equal(self, found, wanted, what):
        if found != wanted:
            self.failures.append(f'{what}: {found!r} instead of {wanted!r}')

    def true(self, holds, what):
        if not holds:
            self.failures.append(what)

    @contextlib.contextmanager
    def named(self, name):
        self.failures = []
        try:
            yield self
        except Exception as error:  # A browser that gives up is a failure like any other.
            self.failures.append(f'{type(error).__name__}: {error}')
        self.failures += [f'the console says: {words}' for words in self.browser.said()]
        self.tally.record(f'{self.browser.name}: {name}', self.failures)
