/** The revisions of a job type, and what changed in its manifest and image from one to another. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useAccount } from '../account.ts';
import { Loaded } from '../parts/states.tsx';
import { DocumentChanges } from '../type-pages/document-changes.tsx';
import { OnlyRevision, RevisionPair } from '../type-pages/revision-pair.tsx';
import type { JobTypeSearch } from './job-type-search.ts';
import { type JobType, jobTypeRevision, jobTypeRevisions } from './queries.ts';

interface Props {
  readonly type: JobType;
  readonly search: JobTypeSearch;
}

export function Revisions({ type: { name, version, revision_num, is_system }, search }: Props) {
  const navigate = useNavigate();
  const { mayWrite } = useAccount();
  const path = { name, version };
  const revisions = useQuery(jobTypeRevisions(path));
  const shown = Number(search.revision ?? revision_num);
  const before = Number(search.with ?? Math.max(1, shown - 1));
  const old = useQuery(jobTypeRevision(path, before));
  const current = useQuery(jobTypeRevision(path, shown));
  const show = (revision: number, from: number) =>
    void navigate({
      to: '/console/job-types/$name/$version/',
      params: path,
      search: { tab: 'revisions', revision: String(revision), with: String(from) },
    });
  const [only, other] = revisions.data?.results ?? [];
  if (only !== undefined && other === undefined) {
    const edit = (
      <Link to="/console/job-types/$name/$version/" params={path} search={{ tab: 'edit' }}>
        Create a new revision
      </Link>
    );
    return <OnlyRevision revision={only} edit={mayWrite && !is_system && edit} />;
  }
  return (
    <>
      <Loaded query={revisions}>
        {({ results }) => <RevisionPair revisions={results} shown={shown} before={before} show={show} />}
      </Loaded>
      {shown === before ? (
        <p className="soft">A revision does not differ from itself: choose another to compare it with.</p>
      ) : (
        <Loaded query={old}>
          {(one) => (
            <Loaded query={current}>
              {(other) => <DocumentChanges before={documentOf(one)} after={documentOf(other)} />}
            </Loaded>
          )}
        </Loaded>
      )}
    </>
  );
}

interface Revision {
  readonly container_image: string;
  readonly manifest: object;
}

const documentOf = ({ container_image, manifest }: Revision) => ({ container_image, manifest });
