/** A list of the differences between two documents. */
import { counted } from '../format/amounts.ts';
import { type DocumentChange, documentChanges } from '../format/document-changes.ts';
import { Rows } from '../parts/rows.tsx';

/** limit: listed differences. */
const SHOWN_MAX = 200;

export function DocumentChanges({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const changes = documentChanges(before, after);
  return (
    <section aria-label="Changes to the document">
      <div className="section-head">
        <h2>Changes to the document</h2>
        <span className="soft">{counted(changes.length, 'change')}</span>
      </div>
      {changes.length === 0 ? (
        <p className="soft">Nothing has been changed.</p>
      ) : (
        <Rows label="List of changes" heads={['Place', 'Before', 'After']}>
          {changes.slice(0, SHOWN_MAX).map((change) => (
            <tr key={change.path} className="document-change">
              <td className="mono">{change.path}</td>
              <td>
                <ChangedValue value={change.before} tone="bad" />
              </td>
              <td>
                <ChangedValue value={change.after} tone="good" />
              </td>
            </tr>
          ))}
        </Rows>
      )}
      {changes.length > SHOWN_MAX && (
        <p className="soft">{counted(changes.length - SHOWN_MAX, 'more change')} not listed.</p>
      )}
    </section>
  );
}

interface ValueProps {
  /** The value as JSON; nothing if there is none. */
  readonly value: DocumentChange['before'] | null;
  readonly tone: 'good' | 'bad';
}

export function ChangedValue({ value, tone }: ValueProps) {
  if (value === undefined || value === null) return <span className="soft">–</span>;
  return <code className={`changed-value ${tone}`}>{value}</code>;
}
