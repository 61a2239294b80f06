/** A filter with a fixed set of values, which may be empty. */
import { useId } from 'react';

interface Props {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly (readonly [value: string, text: string])[];
  /** The text of the empty choice: "Any". */
  readonly any?: string;
  /** Called with `''` for the empty choice. */
  readonly set: (value: string) => void;
}

export function Choice({ label, value, choices, any = 'Any', set }: Props) {
  const id = useId();
  const unset = any === 'Any' ? 'choice unset' : 'choice';
  return (
    <span className={value === undefined ? unset : 'choice chosen'}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value ?? ''} onChange={({ target }) => set(target.value)}>
        <option value="">{any}</option>
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}

/** The choices, with the chosen value even if it is not among them. */
export function withChosen(
  choices: readonly (readonly [value: string, text: string])[],
  chosen: string | undefined,
  text = chosen,
): readonly (readonly [value: string, text: string])[] {
  const isKnown = chosen === undefined || choices.some(([value]) => value === chosen);
  return isKnown ? choices : [[chosen, text ?? chosen], ...choices];
}
