// What code is written in: CodeMirror, of which as much is taken as Python needs. The colours are those of the page's own code.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { python } from "@codemirror/legacy-modes/mode/python";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

// Writes on where a textarea ends: its text, its selection. Attributes are for who cannot see it.
export function open(area, attributes, changed) {
  const extensions = [
    lineNumbers(), history(), bracketMatching(), indentOnInput(), indentUnit.of("    "),
    StreamLanguage.define(python), syntaxHighlighting(classHighlighter),
    keymap.of([{ key: "Escape", run: letGo }, indentWithTab, ...defaultKeymap, ...historyKeymap]),
    EditorView.contentAttributes.of(attributes),
    EditorView.domEventHandlers({ blur: (_, view) => view.setTabFocusMode(false) }),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      update.view.setTabFocusMode(false);
      changed();
    }),
  ];
  const state = (doc, selection) => EditorState.create({ doc, selection, extensions });
  const view = new EditorView({ state: state(area.value, { anchor: area.selectionStart, head: area.selectionEnd }) });
  return {
    dom: view.dom,
    focus: () => view.focus(),
    get value() { return view.state.doc.toString(); },
    set value(text) { view.setState(state(text)); }, // with nothing to undo: that would be another text
  };
}

// After Escape the key Tab leaves, until something is written again.
function letGo(view) {
  view.setTabFocusMode(true);
  return false;
}
