// The editor for code: those parts of CodeMirror that Python needs, in the colours of the page's own code.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { python } from "@codemirror/legacy-modes/mode/python";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

const marks = StateEffect.define();
const marked = StateField.define({
  create: () => Decoration.none,
  update: (now, { effects, changes }) => effects.find((effect) => effect.is(marks))?.value ?? now.map(changes),
  provide: (field) => EditorView.decorations.from(field),
});
const mark = Decoration.line({ class: "stingy-marked" });

// Writes on where a textarea ends: its text, its selection. Attributes are for who cannot see it.
export function open(area, attributes, changed) {
  const extensions = [
    lineNumbers(), marked, history(), bracketMatching(), indentOnInput(), indentUnit.of("    "),
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
    mark: (lines) => {
      const { doc } = view.state;
      const begins = [...new Set(lines)].filter((n) => n <= doc.lines).sort((a, b) => a - b).map((n) => doc.line(n).from);
      const effects = [marks.of(Decoration.set(begins.map((from) => mark.range(from))))];
      if (begins.length) effects.push(EditorView.scrollIntoView(begins[0], { y: "center" }));
      view.dispatch({ effects });
    },
    get value() { return view.state.doc.toString(); },
    set value(text) { view.setState(state(text)); }, // with nothing to undo: that would be another text
  };
}

// After Escape the key Tab leaves, until something is written again.
function letGo(view) {
  view.setTabFocusMode(true);
  return false;
}
