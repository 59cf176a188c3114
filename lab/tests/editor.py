"""Code written into a page as a reader writes it: by clicks and keys."""


class Editor:
    def __init__(self, within):
        self.element = within.locator("stingy-editor")
        self.page = self.element.page

    @property
    def value(self):
        return self.element.evaluate("it => it.value")

    def touch(self):
        """And wait until it is more than a textarea; where it is, no click puts the cursor elsewhere, later than keys do."""
        content = self.element.locator(".cm-content")
        if content.count():
            content.focus()
        else:
            self.element.locator("textarea").click()
        self.element.locator(".cm-content:focus").wait_for()

    def fill(self, text):
        self.touch()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")  # to insert nothing leaves, now and then, all that is selected
        self.page.keyboard.insert_text(text)

    def go_behind(self, words):
        before = self.value.partition(words)[0] + words
        *above, line = before.split("\n")
        self.page.keyboard.press("Control+Home")
        for key in [*(["ArrowDown"] * len(above)), *(["ArrowRight"] * len(line))]:
            self.page.keyboard.press(key)
