/** Schemas of strikes, in answers and in bodies. */
import { type Static, Type } from '@sinclair/typebox';
import { LABELS, NEW_LABELS } from '../../http/request/labels.ts';
import {
  document,
  id,
  instant,
  integer,
  NEW_NAME,
  named,
  oneOf,
  orNull,
  TITLE,
  ValidationSchema,
} from '../../http/schema.ts';
import { StrikeConfiguration } from '../documents/ingest.ts';
import { STRIKE } from '../shared/examples.ts';
import { JobTypeSummary, versionField } from '../shared/records.ts';
import { WorkEstimate } from '../shared/work-estimate.ts';

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
  state: oneOf(
    ['PAUSED', 'WATCHING', 'WAITING'],
    'Whether it watches. WAITING: no node does at the moment; `reason` says why.',
  ),
  reason: orNull(Type.String({ description: 'Why the strike watches nothing at the moment.' })),
  created: instant(),
  last_modified: instant(),
};

export const StrikeSummary = named('Strike', Type.Object(FIELDS));
export const StrikeDetails = named(
  'StrikeDetails',
  Type.Object({ ...FIELDS, configuration: document('Secrets are masked.', StrikeConfiguration) }),
);

const DESCRIPTION = Type.String({ maxLength: 10_000 });
const CONFIGURATION = document('What it watches, takes and starts.', StrikeConfiguration);
export const StrikeCreate = named(
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
export const StrikeEdit = named(
  'StrikeEdit',
  Type.Object({
    title: Type.Optional(TITLE),
    description: Type.Optional(DESCRIPTION),
    labels: NEW_LABELS,
    configuration: Type.Optional(CONFIGURATION),
    is_paused: Type.Optional(Type.Boolean({ description: 'Stops or resumes the strike.' })),
  }),
);
export const StrikeCheck = named(
  'StrikeCheck',
  Type.Object({
    title: TITLE,
    description: Type.Optional(DESCRIPTION),
    labels: NEW_LABELS,
    configuration: CONFIGURATION,
    name: Type.Optional(Type.String({ description: 'The name of the strike whose change is checked.' })),
  }),
);

export const StrikeCheckResult = named(
  'StrikeCheckResult',
  Type.Object({
    ...ValidationSchema.properties,
    effects: Type.Optional(
      orNull(
        Type.Object(
          {
            deferred_files: integer({
              minimum: 0,
              description:
                'Deferred files, which are tried again when the rules change; counted up to 100,000.',
            }),
            one_file: orNull(
              Type.Object(
                {
                  recipe_type: Type.Object({
                    id: id(),
                    name: Type.String(),
                    revision_num: integer({ minimum: 1 }),
                  }),
                  ...WorkEstimate.properties,
                },
                { description: 'At most what each file starts. Null: no recipe.' },
              ),
            ),
          },
          { description: 'What the create or edit would do. Null while there are errors.' },
        ),
      ),
    ),
  }),
);

export type StrikeDetailsRecord = Static<typeof StrikeDetails>;
export type StrikeCreateBody = Static<typeof StrikeCreate>;
export type StrikeEditBody = Static<typeof StrikeEdit>;

/** The path of one strike. */
export const strikePath = (id: number): string => `/v6/strikes/${id}/`;
