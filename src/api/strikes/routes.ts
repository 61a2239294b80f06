/** `/v6/strikes/`: watchers of workspaces. */
import { type Static, Type } from '@sinclair/typebox';
import { storableText } from '../../domain/document/json-value.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type List } from '../../http/list.ts';
import { LABELS, labelFilter, NEW_LABELS } from '../../http/request/labels.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import {
  type Asker,
  defineRoute,
  defineValidation,
  type Findings,
  type RawBody,
  reply,
} from '../../http/route.ts';
import { document, id, instant, NEW_NAME, NO_BODY, named, orNull, TITLE } from '../../http/schema.ts';
import { StrikeConfiguration } from '../documents/ingest.ts';
import { STRIKE } from '../shared/examples.ts';
import { existing } from '../shared/existing.ts';
import { JobTypeSummary, versionField } from '../shared/records.ts';
import { warningHeader } from '../shared/warnings.ts';

/** The system job behind a strike. */
const ProcessJob = named(
  'ProcessJob',
  Type.Object({ id: id(), job_type: JobTypeSummary, status: Type.String() }),
);

const FIELDS = {
  id: id(),
  ...versionField,
  name: Type.String({ description: 'Never changed.' }),
  title: Type.String(),
  description: Type.String(),
  labels: LABELS,
  is_paused: Type.Boolean({ description: 'A paused strike watches nothing and ingests nothing.' }),
  job: ProcessJob,
  reason: orNull(Type.String({ description: 'Why nothing is watched at the moment.' })),
  created: instant(),
  last_modified: instant(),
};

const StrikeSummary = named('Strike', Type.Object(FIELDS));
const StrikeDetails = named(
  'StrikeDetails',
  Type.Object({ ...FIELDS, configuration: document('Secrets are masked.', StrikeConfiguration) }),
);

const DESCRIPTION = Type.String({ maxLength: 10_000 });
const CONFIGURATION = document('What it watches, takes and starts.', StrikeConfiguration);
const StrikeCreate = named(
  'StrikeCreate',
  Type.Object(
    {
      title: TITLE,
      description: Type.Optional(DESCRIPTION),
      labels: NEW_LABELS,
      configuration: CONFIGURATION,
      name: NEW_NAME,
    },
    { examples: [STRIKE] },
  ),
);
const StrikeEdit = named(
  'StrikeEdit',
  Type.Object({
    title: Type.Optional(TITLE),
    description: Type.Optional(DESCRIPTION),
    labels: NEW_LABELS,
    configuration: Type.Optional(CONFIGURATION),
    is_paused: Type.Optional(Type.Boolean({ description: 'Stops or resumes the strike.' })),
  }),
);
const StrikeCheck = named(
  'StrikeCheck',
  Type.Object({
    title: TITLE,
    description: Type.Optional(DESCRIPTION),
    labels: NEW_LABELS,
    configuration: CONFIGURATION,
    name: Type.Optional(Type.String({ description: 'The name of the strike whose change is checked.' })),
  }),
);

export type StrikeRecord = Static<typeof StrikeSummary>;
export type StrikeDetailsRecord = Static<typeof StrikeDetails>;
export type StrikeCreateBody = Static<typeof StrikeCreate>;
export type StrikeEditBody = Static<typeof StrikeEdit>;

export interface StrikeRouteDeps {
  readonly strikes: {
    list: List<typeof filters, typeof order, StrikeRecord>;
    /** Secrets masked. */
    find(id: number): Promise<StrikeDetailsRecord | undefined>;
    /** Resolves with the new strike, its job queued. Throws AppError with every problem of the configuration. */
    create(
      body: StrikeCreateBody,
      asker: Asker,
    ): Promise<{ readonly made: StrikeDetailsRecord; readonly warnings: readonly Problem[] }>;
    /** Throws NOT_FOUND, or as `create`. */
    /** Resolves with warnings. */
    edit(id: number, body: StrikeEditBody): Promise<readonly Problem[]>;
    /** `name`: the strike to be changed. */
    check(configuration: unknown, name: string | undefined): Promise<Findings>;
    /** The problems of the documents in a body, which may have any form. */
    documentProblems(raw: RawBody): Promise<readonly Problem[]>;
  };
}

const ORDER = ['name', 'title', 'description', 'is_paused', 'created', 'last_modified'] as const;

const filters = {
  range: timeRange(),
  name: texts('Names.'),
  label: labelFilter,
};
const order = orderBy([...ORDER, 'job__id', 'job__status'], ['last_modified']);

const list = defineList({
  path: '/v6/strikes/',
  summary: 'List strikes',
  query: { ...filters, order },
  record: StrikeSummary,
  records: ({ query }, { strikes }: StrikeRouteDeps) => strikes.list(query, query.order, query.paging),
});

/** The path of one strike. */
export const strikePath = (id: number): string => `/v6/strikes/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/strikes/',
  summary: 'Create a strike and set it going',
  repeats: 'keyed',
  body: StrikeCreate,
  documentProblems: (raw, { strikes }: StrikeRouteDeps) => strikes.documentProblems(raw),
  replies: { 201: StrikeDetails },
  async handle({ body, request }, { strikes }: StrikeRouteDeps) {
    const { made, warnings } = await strikes.create(body, request);
    return reply(201, made, { location: strikePath(made.id), ...warningHeader(warnings) });
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/strikes/{id}/',
  summary: 'Details of a strike',
  params: { id: pathId },
  replies: { 200: StrikeDetails },
  async handle({ params }, { strikes }: StrikeRouteDeps) {
    return reply(200, existing(await strikes.find(params.id), 'strike'));
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/strikes/{id}/',
  summary: 'Edit, pause or resume a strike',
  description:
    'Fields that are not given stay. Files that no rule took before are tried again when rules change; masked ' +
    'secrets are kept.',
  params: { id: pathId },
  body: StrikeEdit,
  documentProblems: (raw, { strikes }: StrikeRouteDeps) => strikes.documentProblems(raw),
  replies: { 204: NO_BODY },
  async handle({ params, body }, { strikes }: StrikeRouteDeps) {
    return reply(204, undefined, warningHeader(await strikes.edit(params.id, body)));
  },
});

const validate = defineValidation({
  path: '/v6/strikes/validation/',
  summary: 'Check a strike before it is created or edited',
  body: StrikeCheck,
  handle: ({ raw }, { strikes }: StrikeRouteDeps) => strikes.check(raw.configuration, storableText(raw.name)),
});

export const strikeRoutes = [list, create, details, edit, validate];
