/** A filter for typed text. It takes effect after a pause in typing, or at once with Enter. */
import { useEffect, useId, useRef, useState } from 'react';

const PAUSE_MS = 350;
/** In characters. A longer example is shown in full. */
const SIZE_MIN = 10;

interface Props {
  readonly label: string;
  readonly value: string | undefined;
  readonly placeholder?: string;
  /** Called with `''` if the filter is empty. */
  readonly set: (value: string) => void;
}

export function TextFilter({ label, value = '', placeholder = '', set }: Props) {
  const id = useId();
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A new address may have another text.
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (next: string): void => {
    clearTimeout(timer.current);
    if (next !== value) set(next);
  };
  const type = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => apply(next), PAUSE_MS);
  };
  return (
    <span className={value === '' ? 'choice' : 'choice chosen'}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={text}
        placeholder={placeholder}
        size={Math.max(SIZE_MIN, placeholder.length)}
        spellCheck={false}
        onChange={({ target }) => type(target.value)}
        onKeyDown={({ key }) => key === 'Enter' && apply(text)}
      />
    </span>
  );
}
