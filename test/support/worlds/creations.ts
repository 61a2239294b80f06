/** Every call that takes an `Idempotency-Key`, with bodies that create records, and the tables of these. */

/** An answer, in the form for tests. */
export interface CreationAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  readonly json: any;
}

/** The functions that the bodies need. */
export interface CreationWorld {
  /** A call that must succeed; resolves with its answer. */
  post(path: string, body: unknown): Promise<CreationAnswer['json']>;
  rows(sql: string, params?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A new request of a call. */
export interface Creation {
  /** Below `/v6/`, without a prefix. */
  readonly path: string;
  readonly body: object;
  /** Another valid body for the same path. */
  readonly other: object;
  /** A body of valid form that is refused because of its meaning. */
  readonly refused: object;
}

export interface CreatingCall {
  /** As `POST /v6/jobs/`. */
  readonly call: string;
  readonly status: number;
  /** The table whose rows are counted. */
  readonly table: string;
  readonly hasLocation: boolean;
  make(fixtures: Fixtures, n: number): Promise<Creation>;
}

export interface Fixtures {
  readonly world: CreationWorld;
  readonly jobTypeId: number;
  readonly recipeTypeId: number;
  readonly datasetId: number;
  readonly accountId: number;
}

const HOST = { broker: { type: 'host', host_path: '/tmp' } };

export function jobTypeBody(name: string, command = 'true'): object {
  return {
    container_image: 'process:default',
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title: name, description: 'Does nothing' },
        ...{ maintainer: { name: 'A', email: 'a@example.com' }, timeout: 60, interface: { command } },
      },
    },
    configuration: {},
  };
}

function definitionOf(jobTypeName: string): object {
  return {
    input: { files: [], json: [{ name: 'N', type: 'integer', required: true }] },
    nodes: {
      one: {
        ...{ dependencies: [], input: {} },
        node_type: { node_type: 'job', job_type_name: jobTypeName, job_type_version: '1.0.0' },
      },
    },
  };
}

export async function makeFixtures(world: CreationWorld): Promise<Fixtures> {
  await world.post('/v6/workspaces/', { title: 'Fixture', configuration: HOST });
  const jobType = await world.post('/v6/job-types/', jobTypeBody('fixture'));
  const recipeType = await world.post('/v6/recipe-types/', {
    ...{ title: 'Fixture', definition: definitionOf('fixture') },
  });
  await world.post('/v6/recipe-types/', {
    title: 'Watched',
    definition: { input: { files: [{ name: 'F' }], json: [] }, nodes: {} },
  });
  const dataset = await world.post('/v6/datasets/', {
    title: 'Fixture',
    definition: { parameters: { files: [], json: [{ name: 'N', type: 'integer' }] } },
    data: { files: {}, json: { N: 1 } },
  });
  const [account] = await world.rows(`insert into account (username, created, last_modified)
    values ('fixture', now(), now()) returning id::int as id`);
  return {
    ...{ world, jobTypeId: jobType.id, recipeTypeId: recipeType.id, datasetId: dataset.id },
    accountId: Number(account?.id),
  };
}

/** A source file in the fixtures' workspace; its id. */
async function sourceFile({ world }: Fixtures, name: string): Promise<number> {
  const [row] = await world.rows(
    `insert into file (uuid, file_type, file_name, media_type, file_size, workspace_id, file_path, created,
       last_modified)
     select gen_random_uuid(), 'SOURCE', $1, 'text/plain', 1, id, $1, now(), now() from workspace where name = 'fixture'
     returning id::int as id`,
    [name],
  );
  return Number(row?.id);
}

const titled = (n: number, more: object = {}) => ({ title: `Title ${n}`, ...more });
const job = (typeId: number, n: number) => ({ job_type_id: typeId, input: { files: {}, json: { N: n } } });
const recipe = (typeId: number, n: number) => ({
  recipe_type_id: typeId,
  input: { files: {}, json: { N: n } },
});
const member = (value: unknown) => ({ data: { files: {}, json: { N: value } } });
const NO_ID = 999_999;

/** The call, at its own path. */
function plain(
  path: string,
  rest: Pick<CreatingCall, 'status' | 'table'>,
  bodies: (fixtures: Fixtures, n: number) => Omit<Creation, 'path'>,
): CreatingCall {
  const make: CreatingCall['make'] = async (fixtures, n) => ({ path, ...bodies(fixtures, n) });
  return { call: `POST ${path}`, ...rest, hasLocation: rest.status === 201, make };
}

const strikeOf = (workspace: string) => ({
  workspace,
  monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
  files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
  recipe: { name: 'watched' },
});
const scanOf = (workspace: string) => ({
  workspace,
  scanner: { type: 'dir' },
  recursive: true,
  files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
});

const diagnostic = (path: string) =>
  plain(path, { status: 202, table: 'diagnostic_run' }, (_fixtures, n) => ({
    ...{ body: { num: 1 + (n % 3) }, other: { num: 9 }, refused: { num: 0 } },
  }));

const jobRequest = (path: string) =>
  plain(path, { status: 202, table: 'job_request' }, (_fixtures, n) => ({
    ...{ body: { job_ids: [NO_ID + n] }, other: { job_ids: [1] }, refused: {} },
  }));

/** Additions, which are not served under `/api/`. */
export const WITHOUT_TWIN: ReadonlySet<string> = new Set(['POST /v6/job-types/try/']);

export const CREATING_CALLS: readonly CreatingCall[] = [
  plain('/v6/jobs/', { status: 201, table: 'job' }, ({ jobTypeId }, n) => ({
    ...{ body: job(jobTypeId, n), other: job(jobTypeId, -n), refused: job(NO_ID, n) },
  })),
  plain('/v6/recipes/', { status: 201, table: 'recipe' }, ({ recipeTypeId }, n) => ({
    ...{ body: recipe(recipeTypeId, n), other: recipe(recipeTypeId, -n), refused: recipe(NO_ID, n) },
  })),
  plain('/v6/batches/', { status: 201, table: 'batch' }, ({ recipeTypeId, datasetId }, n) => {
    const body = titled(n, { recipe_type_id: recipeTypeId, definition: { dataset: datasetId } });
    return { body, other: { ...body, title: 'other' }, refused: { ...body, definition: { dataset: NO_ID } } };
  }),
  plain('/v6/strikes/', { status: 201, table: 'strike' }, (_fixtures, n) => ({
    body: titled(n, { configuration: strikeOf('fixture') }),
    other: titled(-n, { configuration: strikeOf('fixture') }),
    refused: titled(n, { configuration: strikeOf('nowhere') }),
  })),
  plain('/v6/scans/', { status: 201, table: 'scan' }, (_fixtures, n) => ({
    body: titled(n, { configuration: scanOf('fixture') }),
    other: titled(-n, { configuration: scanOf('fixture') }),
    refused: titled(n, { configuration: scanOf('nowhere') }),
  })),
  plain('/v6/workspaces/', { status: 201, table: 'workspace' }, (_fixtures, n) => ({
    body: titled(n, { configuration: HOST }),
    other: titled(-n, { configuration: HOST }),
    refused: titled(n, { configuration: { broker: { type: 'none' } } }),
  })),
  plain('/v6/job-types/', { status: 201, table: 'job_type_rev' }, (_fixtures, n) => ({
    body: jobTypeBody(`type-${n}`),
    other: jobTypeBody(`type-${n}`, 'false'),
    refused: { ...jobTypeBody(`type-${n}`), manifest: {} },
  })),
  plain('/v6/job-types/try/', { status: 201, table: 'job' }, (_fixtures, n) => {
    const input = { files: {}, json: {} };
    return {
      body: { ...jobTypeBody(`try-${n}`), input },
      other: { ...jobTypeBody(`try-${n}`, 'false'), input },
      refused: { ...jobTypeBody(`try-${n}`), input, manifest: {} },
    };
  }),
  plain('/v6/recipe-types/', { status: 201, table: 'recipe_type' }, (_fixtures, n) => ({
    body: titled(n, { definition: definitionOf('fixture') }),
    other: titled(-n, { definition: definitionOf('fixture') }),
    refused: titled(n, { definition: definitionOf('nothing') }),
  })),
  plain('/v6/datasets/', { status: 201, table: 'dataset' }, (_fixtures, n) => {
    const definition = { parameters: { files: [], json: [{ name: 'N', type: 'integer' }] } };
    const made = (value: unknown) => titled(n, { definition, ...member(value) });
    return { body: made(n), other: made(-n), refused: made('x') };
  }),
  plain('/v6/accounts/', { status: 201, table: 'account' }, (_fixtures, n) => {
    const body = { username: `user-${n}`, password: 'correct horse battery' };
    return { body, other: { ...body, username: `other-${n}` }, refused: { ...body, password: 'x' } };
  }),
  plain('/v6/tokens/', { status: 201, table: 'access_token' }, ({ accountId }, n) => ({
    body: { name: `token-${n}`, account_id: accountId },
    other: { name: `other-${n}`, account_id: accountId },
    refused: { name: `token-${n}`, account_id: NO_ID },
  })),
  jobRequest('/v6/jobs/cancel/'),
  jobRequest('/v6/jobs/requeue/'),
  diagnostic('/v6/diagnostics/job/bake/'),
  diagnostic('/v6/diagnostics/job/count/'),
  diagnostic('/v6/diagnostics/job/hello/'),
  diagnostic('/v6/diagnostics/job/roulette/'),
  diagnostic('/v6/diagnostics/recipe/casino/'),
  {
    call: 'POST /v6/datasets/{id}/',
    ...{ status: 201, table: 'dataset_member', hasLocation: false },
    async make({ datasetId }, n) {
      const path = `/v6/datasets/${datasetId}/`;
      return { path, body: member(n), other: member(-n), refused: member('x') };
    },
  },
  {
    call: 'POST /v6/files/purge-source/',
    ...{ status: 204, table: 'purge', hasLocation: true },
    async make(fixtures, n) {
      const body = { file_id: await sourceFile(fixtures, `source-${n}`) };
      const other = { file_id: await sourceFile(fixtures, `other-${n}`) };
      return { path: '/v6/files/purge-source/', body, other, refused: { file_id: NO_ID } };
    },
  },
  {
    call: 'POST /v6/recipes/{id}/reprocess/',
    ...{ status: 202, table: 'recipe', hasLocation: false },
    async make({ world, recipeTypeId }, n) {
      const { id } = await world.post('/v6/recipes/', recipe(recipeTypeId, n));
      const path = `/v6/recipes/${id}/reprocess/`;
      const body = { forced_nodes: { all: true } };
      return { path, body, other: { forced_nodes: { all: true, nodes: ['one'] } }, refused: {} };
    },
  },
];
