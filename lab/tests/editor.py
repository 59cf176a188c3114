"""Write code into the editor of a page as a reader does: by clicks and keys."""


class Editor:
    def __init__(self, within):
        self.element = within.locator("stingy-editor")
        self.page = self.element.page

    @property
    def value(self):
        return self.element.evaluate("it => it.value")

    def touch(self):
        """Focus the editor, and wait until it has replaced the textarea.

        If it is there already, do not click: a click may move the cursor after the keys.
        """
        content = self.element.locator(".cm-content")
        if content.count():
            content.focus()
        else:
            self.element.locator("textarea").click()
        self.element.locator(".cm-content:focus").wait_for()

    def fill(self, text):
        self.touch()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")  # inserting an empty text sometimes keeps the selection
        self.page.keyboard.insert_text(text)

    def go_behind(self, words):
        before = self.value.partition(words)[0] + words
        *above, line = before.split("\n")
        self.page.keyboard.press("Control+Home")
        for key in [*(["ArrowDown"] * len(above)), *(["ArrowRight"] * len(line))]:
            self.page.keyboard.press(key)
