/** One version of a job type: its command, inputs and outputs, its revisions, and its editor. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useAccount } from '../account.ts';
import { JobTypeUse } from '../job-types/job-types-page.tsx';
import { Loaded, Loading } from '../parts/states.tsx';
import { Tabs } from '../type-pages/tabs.tsx';
import type { JobTypeSearch } from './job-type-search.ts';
import { Manifest } from './manifest.tsx';
import { type JobType, jobTypeDetails, jobTypeVersions } from './queries.ts';
import { Revisions } from './revisions.tsx';

/** The code of these parts is fetched when they are opened. */
const JobTypeEditor = lazy(() =>
  import('../type-editor/job-type-editor.tsx').then((found) => ({ default: found.JobTypeEditor })),
);

const TryType = lazy(() => import('../try-type/try-type.tsx').then((found) => ({ default: found.TryType })));

type Tab = readonly [tab: NonNullable<JobTypeSearch['tab']>, title: string];

const TABS: readonly Tab[] = [
  ['manifest', 'Manifest'],
  ['revisions', 'Revisions'],
];
const EDITABLE_TABS: readonly Tab[] = [...TABS, ['try', 'Try it'], ['edit', 'New revision']];

interface Props {
  readonly name: string;
  readonly version: string;
  readonly search: JobTypeSearch;
}

export function JobTypePage({ name, version, search }: Props) {
  const type = useQuery(jobTypeDetails({ name, version }));
  return (
    <div className="page wide-page">
      <Loaded query={type}>{(found) => <JobTypeView type={found} search={search} />}</Loaded>
    </div>
  );
}

function JobTypeView({ type, search }: { readonly type: JobType; readonly search: JobTypeSearch }) {
  const { mayWrite } = useAccount();
  const isEditable = mayWrite && !type.is_system;
  const tabs = isEditable ? EDITABLE_TABS : TABS;
  const [tab] = tabs.find(([one]) => one === search.tab) ?? ['manifest'];
  const { container_image, manifest, configuration } = type;
  return (
    <>
      <div className="page-head">
        <h1>
          <Link to="/console/job-types/" className="crumb">
            Job types
          </Link>{' '}
          <span aria-hidden="true" className="soft">
            /
          </span>{' '}
          {type.title}
        </h1>
        <span className="soft">
          {type.name} {type.version}, revision {type.revision_num}
        </span>
        <JobTypeUse type={type} />
        <div className="page-actions">
          <Versions type={type} />
          {isEditable && type.is_active && (
            <Link
              className="button"
              to="/console/new-recipe-type/"
              search={{ job_type: type.name, version: type.version }}
            >
              New recipe type
            </Link>
          )}
          <Link className="button" to="/console/jobs/" search={{ type: type.name }}>
            Its jobs
          </Link>
        </div>
      </div>
      {type.description !== '' && <p className="soft">{type.description}</p>}
      <Tabs label="Parts of this job type" chosen={tab} tabs={tabs} />
      {tab === 'manifest' && <Manifest type={type} />}
      {tab === 'revisions' && <Revisions type={type} search={search} />}
      {tab === 'try' && (
        <Suspense fallback={<Loading />}>
          <TryType type={{ container_image, manifest, configuration }} />
        </Suspense>
      )}
      {tab === 'edit' && (
        <Suspense fallback={<Loading />}>
          <JobTypeEditor type={type} />
        </Suspense>
      )}
    </>
  );
}

/** The other versions of the name. */
function Versions({ type: { name, version } }: { readonly type: JobType }) {
  const versions = useQuery(jobTypeVersions(name)).data?.results ?? [];
  const others = versions.flatMap((one) =>
    one.version === undefined || one.version === version ? [] : one.version,
  );
  return others.slice(0, 5).map((other) => (
    <Link
      key={other}
      className="button"
      to="/console/job-types/$name/$version/"
      params={{ name, version: other }}
    >
      Version {other}
    </Link>
  ));
}
