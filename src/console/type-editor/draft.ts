/** A document that is being typed: its text, and its value after a pause in typing. */
import { useEffect, useState } from 'react';

const PAUSE_MS = 400;

export interface Draft {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** Undefined while the text is not a JSON object. */
  readonly document: object | undefined;
  /** The value is older than the text. */
  readonly isBehind: boolean;
}

export function useDraft(first: () => object): Draft {
  const [text, setText] = useState(() => JSON.stringify(first(), null, 2));
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
  return { text, setText, document, isBehind: text !== settled };
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
