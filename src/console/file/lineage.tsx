/** A file's lineage as a graph of files and jobs. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { fileTypeWord } from '../files/file-columns.tsx';
import { bytes, counted } from '../format/amounts.ts';
import { Graph, type GraphEdge, type GraphNode } from '../graph/graph.tsx';
import { Loaded } from '../parts/states.tsx';
import { StatusMark, toneOf } from '../parts/status.tsx';
import {
  DEFAULT_LINEAGE,
  DEPTHS,
  DIRECTION_WORDS,
  DIRECTIONS,
  type LineageSearch,
} from './lineage-search.ts';
import { type Lineage as Found, fileLineage } from './queries.ts';

const FILE_SIZE = { width: 190, height: 56 } as const;
const JOB_SIZE = { width: 180, height: 56 } as const;
const LABEL = { height: 18, perCharacter: 6.6, margin: 14, charactersMax: 24 } as const;
const RIM_SHOWN = 12;

interface Props {
  readonly fileId: number;
  readonly search: LineageSearch;
}

export function Lineage({ fileId, search }: Props) {
  const lineage = useQuery({ ...fileLineage(fileId, search), placeholderData: keepPreviousData });
  const { direction, depth } = { ...DEFAULT_LINEAGE, ...search };
  const navigate = useNavigate();
  const set = (change: LineageSearch) =>
    void navigate({
      to: '/console/files/$id/',
      params: { id: String(fileId) },
      search: { ...search, ...change },
      resetScroll: false,
    });
  return (
    <section aria-label="Lineage">
      <div className="section-head">
        <h2>Lineage</h2>
        <div className="segments" role="group" aria-label="Direction">
          {DIRECTIONS.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === direction}
              onClick={() => set({ direction: one })}
            >
              {DIRECTION_WORDS[one]}
            </button>
          ))}
        </div>
        <label className="inline-choice">
          <span className="soft">Up to</span>
          <select
            value={depth}
            onChange={({ target }) => set({ depth: DEPTHS.find((one) => one === target.value) })}
          >
            {DEPTHS.map((one) => (
              <option key={one} value={one}>
                {counted(Number(one), 'job')} away
              </option>
            ))}
          </select>
        </label>
      </div>
      <Loaded query={lineage}>{(found) => <LineageView fileId={fileId} lineage={found} />}</Loaded>
    </section>
  );
}

function LineageView({ fileId, lineage }: { readonly fileId: number; readonly lineage: Found }) {
  const { files, jobs, links, rim } = lineage;
  if (jobs.length === 0) return <p className="soft">No job made or read this file.</p>;
  const nodes = [...files.map((file) => fileNode(file, file.id === fileId)), ...jobs.map(jobNode)];
  return (
    <>
      <Graph label="Lineage of the file" nodes={nodes} edges={links.map(linkEdge)} />
      <p className="soft graph-note">
        {counted(files.length, 'file')}, {counted(jobs.length, 'job')}.<Rim rim={rim} />
      </p>
    </>
  );
}

function fileNode(file: Found['files'][number], isMain: boolean): GraphNode {
  const { id, file_name, file_type, file_size, is_deleted, is_superseded } = file;
  const state = is_deleted ? ', deleted' : is_superseded ? ', superseded' : '';
  return {
    ...{ id: `file ${id}`, ...FILE_SIZE, isMain, isFaint: is_deleted || is_superseded },
    content: (
      <>
        <p title={file_name}>
          {isMain ? (
            <strong>{file_name}</strong>
          ) : (
            <Link to="/console/files/$id/" params={{ id: String(id) }}>
              {file_name}
            </Link>
          )}
        </p>
        <p className="soft">
          {fileTypeWord(file_type)}, {bytes(file_size)}
          {state}
        </p>
      </>
    ),
  };
}

function jobNode({ id, status, job_type: { name, version } }: Found['jobs'][number]): GraphNode {
  return {
    ...{ id: `job ${id}`, ...JOB_SIZE, tone: toneOf(status) },
    content: (
      <>
        <p title={`${name} ${version}`}>
          <Link to="/console/jobs/$id/" params={{ id: String(id) }}>
            {name}
          </Link>{' '}
          <span className="soft">{version}</span>
        </p>
        <p>
          <StatusMark status={status} /> <span className="soft number">job {id}</span>
        </p>
      </>
    ),
  };
}

function linkEdge({ job, file, role, name }: Found['links'][number]): GraphEdge {
  const [from, to] =
    role === 'input' ? [`file ${file.id}`, `job ${job.id}`] : [`job ${job.id}`, `file ${file.id}`];
  const edge = { id: `${role} ${job.id} ${file.id} ${name ?? ''}`, from, to };
  if (name === null || name === '') return edge;
  const text = name.length > LABEL.charactersMax ? `${name.slice(0, LABEL.charactersMax - 1)}…` : name;
  const width = Math.ceil(text.length * LABEL.perCharacter + LABEL.margin);
  return { ...edge, label: { width, height: LABEL.height }, text: <span className="soft">{text}</span> };
}

/** Says where the lineage continues beyond the shown part. */
function Rim({ rim }: { readonly rim: Found['rim'] }) {
  if (rim.length === 0) return null;
  return (
    <>
      {' '}
      It continues at{' '}
      {rim.slice(0, RIM_SHOWN).map(({ file, job, direction }, index) => (
        <span key={`${direction} ${file?.id ?? ''} ${job?.id ?? ''}`}>
          {index > 0 && ', '}
          {file !== null ? (
            <Link to="/console/files/$id/" params={{ id: String(file.id) }} search={{ direction }}>
              file {file.id}
            </Link>
          ) : (
            job !== null && (
              <Link to="/console/jobs/$id/" params={{ id: String(job.id) }}>
                job {job.id}
              </Link>
            )
          )}
        </span>
      ))}
      {rim.length > RIM_SHOWN && ` and ${counted(rim.length - RIM_SHOWN, 'more place')}`}.
    </>
  );
}
