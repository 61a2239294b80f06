/** Progress as a bar and in words. */
import { count, counted, noun as nounFor } from '../format/amounts.ts';

interface Props {
  readonly total: number;
  readonly done: number;
  readonly failed?: number;
  /** The counted things in the singular: "job". */
  readonly noun: string;
  /** Always shows the noun: there is no title beside it that says what is counted, as on a narrow page. */
  readonly isNamed?: boolean;
}

export function Progress({ total, done, failed = 0, noun, isNamed = false }: Props) {
  const share = (part: number) => `${total === 0 ? 0 : (100 * part) / total}%`;
  return (
    <span className="use">
      <span className="use-track progress-track" aria-hidden="true">
        <span className="progress-good" style={{ width: share(done) }} />
        <span className="progress-bad" style={{ width: share(failed) }} />
      </span>
      <span className="number">
        {count(done)} of {isNamed ? counted(total, noun) : count(total)}
        {!isNamed && <span className="narrow-word soft"> {nounFor(total, noun)}</span>}
        <span className="hidden"> done</span>
      </span>
    </span>
  );
}
