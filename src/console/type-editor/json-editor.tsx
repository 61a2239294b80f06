/** An editor for JSON, with completions by schema, and with the problems that the service found. */
import { autocompletion } from '@codemirror/autocomplete';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { useEffect, useImperativeHandle, useRef } from 'react';
import { sentence } from '../format/sentence.ts';
import { nonce } from '../nonce.ts';
import { completer, type Known } from './completions.ts';
import { rangeOf } from './places.ts';

export interface TextProblem {
  readonly path: string;
  readonly description: string;
  readonly severity: 'error' | 'warning';
}

export interface EditorHandle {
  /** Moves the cursor to a path. */
  show(path: string): void;
}

interface Props {
  readonly label: string;
  /** The first text. Later ones are passed to `onChange`. */
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly known: () => Promise<Known>;
  readonly problems: readonly TextProblem[];
  readonly handle: React.Ref<EditorHandle>;
}

export function JsonEditor({ label, text, onChange, known, problems, handle }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ known, onChange });
  latest.current = { known, onChange };
  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; its text is its own from then on
  useEffect(() => {
    if (place.current === null) return;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          basicSetup,
          json(),
          syntaxHighlighting(classHighlighter),
          autocompletion({ override: [completer(() => latest.current.known())] }),
          linter(jsonParseLinter()),
          lintGutter(),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          ...(nonce === undefined ? [] : [EditorView.cspNonce.of(nonce)]),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) latest.current.onChange(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const { current } = view;
    if (current === undefined) return;
    current.dispatch(
      setDiagnostics(
        current.state,
        problems.map((one) => diagnosticOf(current.state, one)),
      ),
    );
  }, [problems]);
  useImperativeHandle(handle, () => ({
    show(path) {
      const { current } = view;
      if (current === undefined) return;
      const { from } = rangeOf(current.state, path);
      current.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      });
      current.focus();
    },
  }));
  return <div className="json-editor" ref={place} />;
}

function diagnosticOf(state: EditorState, { path, description, severity }: TextProblem): Diagnostic {
  return { ...rangeOf(state, path), severity, message: sentence(description) };
}
