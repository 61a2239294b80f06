/** The pages of the navigation and the palette, in groups. */
export interface Place {
  readonly title: string;
  readonly href: string;
}

interface Group {
  /** The first group has no title. */
  readonly title?: string;
  readonly places: readonly Place[];
}

const NOW: Group = {
  places: [
    { title: 'Overview', href: '/' },
    { title: 'Flow', href: '/console/flow/' },
  ],
};
const FILES: Group = {
  title: 'Files',
  places: [
    { title: 'Arrivals', href: '/console/arrivals/' },
    { title: 'Files', href: '/console/files/' },
    { title: 'Strikes', href: '/console/strikes/' },
    { title: 'Workspaces', href: '/console/workspaces/' },
  ],
};
const WORK: Group = {
  title: 'Work',
  places: [
    { title: 'Recipes', href: '/console/recipes/' },
    { title: 'Jobs', href: '/console/jobs/' },
    { title: 'Batches', href: '/console/batches/' },
    { title: 'Scans', href: '/console/scans/' },
    { title: 'Datasets', href: '/console/datasets/' },
  ],
};
const DEFINITIONS: Group = {
  title: 'Definitions',
  places: [
    { title: 'Recipe types', href: '/console/recipe-types/' },
    { title: 'Job types', href: '/console/job-types/' },
  ],
};
const OPERATION: Group = {
  title: 'Operation',
  places: [
    { title: 'Nodes', href: '/console/nodes/' },
    { title: 'Queue', href: '/console/queue/' },
    { title: 'Errors', href: '/console/errors/' },
    { title: 'Metrics', href: '/console/metrics/' },
    { title: 'Accounts', href: '/console/accounts/' },
    { title: 'Tokens', href: '/console/tokens/' },
    { title: 'Audit', href: '/console/audit/' },
    { title: 'Settings', href: '/console/settings/' },
  ],
};

export const GROUPS: readonly Group[] = [NOW, FILES, WORK, DEFINITIONS, OPERATION].filter(
  ({ places }) => places.length > 0,
);

/** Pages with a filter and pages outside of the console, which are only in the palette. */
export const MORE_PLACES: readonly Place[] = [
  { title: 'Failed jobs', href: '/console/jobs/?status=FAILED' },
  { title: 'Failed recipes', href: '/console/recipes/?state=failed' },
  { title: 'Running jobs', href: '/console/jobs/?status=RUNNING' },
  { title: 'Queued jobs', href: '/console/jobs/?status=QUEUED' },
  { title: 'Failed arrivals', href: '/console/arrivals/?status=ERRORED' },
  { title: 'Deferred arrivals', href: '/console/arrivals/?status=DEFERRED' },
  { title: 'Guide', href: '/docs/guide/' },
  { title: 'Interface', href: '/docs/' },
];
