/** The receipt of a purge: its progress, what it removed, and what it could not remove. */
import { bytes, count, counted } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { Rows } from '../parts/rows.tsx';
import { StatusMark } from '../parts/status.tsx';
import type { Purge } from './queries.ts';

const PHASES = {
  find: 'finding what descends from it',
  stop: 'stopping jobs',
  release: 'releasing recipes and jobs',
  bytes: 'removing files from workspaces',
  rows: 'removing records',
  done: 'done',
} as const;

export function Receipt({ purge }: { readonly purge: Purge }) {
  const { status, phase, reason, removed, workspaces, problems } = purge;
  const kinds = Object.entries(removed).filter(([, number]) => number > 0);
  return (
    <section aria-label="Purge" className="receipt">
      <div className="section-head">
        <h2>Purge {purge.id}</h2>
        <StatusMark status={status} />
        {status !== 'COMPLETED' && <span className="soft">{PHASES[phase]}</span>}
      </div>
      {reason !== null && <p className="note">{sentence(reason)}</p>}
      <dl className="facts">
        <Fact name="Source">
          {purge.file_name}{' '}
          <span className="soft">
            {purge.workspace.name} {purge.file_path}, {bytes(purge.file_size)}
          </span>
        </Fact>
        <Fact name="Its bytes">
          {purge.delete_source_bytes ? 'removed from its workspace as well' : 'stay in its workspace'}
        </Fact>
        <Fact name="Asked for">
          <Instant at={purge.created} />
        </Fact>
        <Fact name="Completed">
          <Instant at={purge.completed} />
        </Fact>
        <Fact name="Removed records">
          {kinds.length === 0
            ? 'none yet'
            : kinds.map(([kind, number]) => `${kind.replaceAll('_', ' ')} ${count(number)}`).join(', ')}
        </Fact>
      </dl>
      {workspaces.length > 0 && (
        <Rows
          label="Workspaces"
          isStacked
          heads={['Workspace', 'Removed', 'Bytes', 'Absent', 'Kept', 'Failed']}
        >
          {workspaces.map((one) => (
            <tr key={one.id}>
              <td>{one.name}</td>
              <td className="number">{counted(one.files_removed, 'file')}</td>
              <td className="number">{bytes(one.bytes_removed)}</td>
              <td className="number">{count(one.files_absent)}</td>
              <td className="number">{count(one.files_kept)}</td>
              <td className="number">{count(one.files_failed)}</td>
            </tr>
          ))}
        </Rows>
      )}
      {problems.length > 0 && (
        <>
          <h2>Files that were not removed</h2>
          <ul className="plain-list">
            {problems.map(({ name, path, description }) => (
              <li key={`${name} ${path}`}>
                <span className="mono">{path}</span> {description}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
