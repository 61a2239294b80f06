/** The place of a file, its origin, and the facts about its content. */
import { Link } from '@tanstack/react-router';
import { bytes, count } from '../format/amounts.ts';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import type { StoredFile } from './queries.ts';

const SOURCES_SHOWN = 20;

export function FileFacts({ file }: { readonly file: StoredFile }) {
  return (
    <section aria-label="File">
      <h2>File</h2>
      <dl className="facts">
        <Fact name="Id">{file.id}</Fact>
        <Fact name="Workspace">{file.workspace.name}</Fact>
        <Fact name="Path">{file.file_path}</Fact>
        <Fact name="Size">
          {bytes(file.file_size)}
          {file.file_size >= 1_024 && <span className="soft"> ({count(file.file_size)} bytes)</span>}
        </Fact>
        <Fact name="Media type">{file.media_type === '' ? '–' : file.media_type}</Fact>
        <Fact name="SHA-256">
          <span className="mono">{file.sha256 ?? '–'}</span>
        </Fact>
        <Fact name="Data types">
          {file.data_type_tags.length === 0 ? '–' : file.data_type_tags.join(', ')}
        </Fact>
        <Fact name="Created">
          <Instant at={file.created} />
        </Fact>
        <Fact name="Changed">
          <Instant at={file.last_modified} />
        </Fact>
        {file.data_started !== null && (
          <Fact name="Data">
            <Instant at={file.data_started} /> to <Instant at={file.data_ended} />
          </Fact>
        )}
        {file.deleted !== null && (
          <Fact name="Deleted">
            <Instant at={file.deleted} />
          </Fact>
        )}
        {file.superseded !== null && (
          <Fact name="Superseded">
            <Instant at={file.superseded} />
          </Fact>
        )}
      </dl>
    </section>
  );
}

export function Origin({ file }: { readonly file: StoredFile }) {
  const { job, job_type, job_output, recipe, recipe_type, recipe_node, batch } = file;
  return (
    <section aria-label="Origin">
      <h2>Origin</h2>
      <dl className="facts">
        {job === null ? (
          <Fact name="Arrived">
            <Instant at={file.created} />
          </Fact>
        ) : (
          <Fact name="Made by">
            <Link to="/console/jobs/$id/" params={{ id: String(job.id) }}>
              job {job.id}
            </Link>
            {job_type !== null && (
              <span className="soft">
                {' '}
                {job_type.name} {job_type.version}
              </span>
            )}
          </Fact>
        )}
        {job_output !== null && <Fact name="Output">{job_output}</Fact>}
        {recipe !== null && (
          <Fact name="Recipe">
            <Link to="/console/recipes/$id/" params={{ id: String(recipe.id) }}>
              {recipe_type?.title} {recipe.id}
            </Link>
            {recipe_node !== null && <span className="soft"> node {recipe_node}</span>}
          </Fact>
        )}
        {batch !== null && (
          <Fact name="Batch">
            <Link to="/console/batches/$id/" params={{ id: String(batch.id) }}>
              {batch.title}
            </Link>
          </Fact>
        )}
        <Sources file={file} />
      </dl>
    </section>
  );
}

function Sources({ file }: { readonly file: StoredFile }) {
  const { sources } = file.ancestors;
  if (sources.length === 0) return null;
  return (
    <Fact name={sources.length === 1 ? 'Source' : 'Sources'}>
      <ul className="plain-list">
        {sources.slice(0, SOURCES_SHOWN).map(({ id, file_name }) => (
          <li key={id}>
            <Link to="/console/files/$id/" params={{ id: String(id) }}>
              {file_name}
            </Link>
          </li>
        ))}
        {sources.length > SOURCES_SHOWN && <li>and {count(sources.length - SOURCES_SHOWN)} more</li>}
      </ul>
    </Fact>
  );
}

/** Properties from side-cars and parse results. */
export function MetaData({ file: { meta_data } }: { readonly file: StoredFile }) {
  if (Object.keys(meta_data).length === 0) return null;
  return (
    <section aria-label="Metadata">
      <h2>Metadata</h2>
      <pre className="command" tabIndex={0}>
        {JSON.stringify(meta_data, null, 2)}
      </pre>
    </section>
  );
}
