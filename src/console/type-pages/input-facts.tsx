/** The files and values that a job type or recipe type takes, one fact for each. */
import { Fact } from '../parts/fact.tsx';

interface Taken {
  readonly name: string;
  readonly required?: boolean | null | undefined;
}

export interface TakenFile extends Taken {
  readonly multiple?: boolean | null | undefined;
  readonly mediaTypes: readonly string[];
}

export interface TakenValue extends Taken {
  readonly type: string;
}

interface InputFactsProps {
  readonly files: readonly TakenFile[];
  readonly values: readonly TakenValue[];
}

export function InputFacts({ files, values }: InputFactsProps) {
  return (
    <section aria-label="Input">
      <h2>Input</h2>
      <dl className="facts">
        {files.map(({ name, mediaTypes, required, multiple }) => (
          <Fact key={name} name={name}>
            {multiple === true ? 'files' : 'a file'}
            {mediaTypes.length > 0 && ` of ${mediaTypes.join(', ')}`}
            {required === false && ', optional'}
          </Fact>
        ))}
        {values.map(({ name, type, required }) => (
          <Fact key={name} name={name}>
            {type}
            {required === false && ', optional'}
          </Fact>
        ))}
      </dl>
      {files.length + values.length === 0 && <p className="soft">No inputs.</p>}
    </section>
  );
}
