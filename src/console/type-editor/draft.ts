/** A document that is being typed: its text, which the tab keeps, and its value after a pause in typing. */
import { useEffect, useState } from 'react';
import { useAccount } from '../account.ts';
import { forgetDraft, type KeptDraft, keepDraft, keptDraft } from '../kept-drafts.ts';
import { keptTextOf } from './kept-text.ts';

const PAUSE_MS = 400;

export interface Draft {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** Undefined while the text is not a JSON object. */
  readonly document: object | undefined;
  /** The value is older than the text. */
  readonly isBehind: boolean;
  readonly isUntouched: boolean;
  /** The revision that the text began as; undefined for a new type. */
  readonly revision: number | undefined;
  /** When the text that this one continues was typed and not saved. */
  readonly continuedFrom: string | undefined;
  readonly beginAnew: () => void;
  /** The text has been saved: it is no longer kept. */
  readonly forget: () => void;
  /** Another number for each text that did not come from the editor. */
  readonly beginning: number;
}

interface Options {
  /** Which editor it is: each keeps a text of its own. */
  readonly place: string;
  readonly first: () => object;
  /** The newest revision; undefined for a new type. */
  readonly revision: number | undefined;
}

/** It continues the text that the account left unsaved, if there is one. */
export function useDraft({ place, first, revision }: Options): Draft {
  const { username = '' } = useAccount();
  const begin = (beginning: number, kept?: KeptDraft) => {
    const firstText = JSON.stringify(first(), null, 2);
    return {
      firstText,
      ...{ text: kept?.text ?? firstText, revision: kept === undefined ? revision : kept.revision },
      ...{ continuedFrom: kept?.keptAt, beginning },
    };
  };
  const [begun, setBegun] = useState(() => begin(0, keptDraft(username, place)));
  const [text, setText] = useState(begun.text);
  const [settled, setSettled] = useState(text);
  const [document, setDocument] = useState(() => objectOf(text));
  useEffect(() => {
    if (text === settled) return;
    const timer = setTimeout(() => {
      setSettled(text);
      setDocument(objectOf(text));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, settled]);
  return {
    ...{ text, document, isBehind: text !== settled, isUntouched: text === begun.firstText },
    ...{ revision: begun.revision, continuedFrom: begun.continuedFrom, beginning: begun.beginning },
    setText(typed) {
      setText(typed);
      if (typed === begun.firstText) {
        forgetDraft(place);
        return;
      }
      const kept = keptTextOf(typed);
      if (kept === undefined) return;
      const keptAt = new Date().toISOString();
      keepDraft(username, place, { text: kept, revision: begun.revision, keptAt });
    },
    beginAnew() {
      forgetDraft(place);
      const anew = begin(begun.beginning + 1);
      setBegun(anew);
      setText(anew.text);
    },
    forget: () => forgetDraft(place),
  };
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
