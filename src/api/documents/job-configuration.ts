/** Configurations of job types, jobs and recipes (`domain/job/job-config.ts`). */
import { type TSchema, Type } from '@sinclair/typebox';
import { LOG_LIMIT_MAX, PRODUCT_PATHS } from '../../domain/job/job-config.ts';
import { byName, closed, form, may, text, VERSION, whole } from './fields.ts';

const HostMount = closed({
  type: Type.Unsafe({ type: 'string', enum: ['host'] }),
  host_path: text('An absolute path on the node, not `/`, without `..`.', {
    maxLength: 1_000,
    pattern: '^/',
  }),
});
const VolumeMount = closed({
  type: Type.Unsafe({ type: 'string', enum: ['volume'] }),
  driver: may(text('The volume driver; empty: the default one.', { minLength: 0, maxLength: 250 })),
  driver_opts: may(byName(Type.String(), 'Options of the driver.')),
});

function configuration(name: string, title: string, setting: TSchema, examples: readonly object[]): TSchema {
  return form(
    name,
    title,
    {
      version: VERSION,
      mounts: may(byName(Type.Union([HostMount, VolumeMount]), 'By the names of mounts of the manifest.')),
      output_workspaces: may(
        closed(
          {
            default: may(
              text('Where outputs without an entry of their own go.', { minLength: 0, maxLength: 50 }),
            ),
            outputs: may(byName(Type.String(), 'Names of workspaces by the names of outputs.')),
          },
          { description: 'Names of workspaces. Every output file needs one, its own or the default.' },
        ),
      ),
      priority: may(whole('From 1; smaller numbers run first. Default: 100.', { minimum: 1 })),
      log_limit: may(
        whole('MiB of each output stream that are kept. Default: 16.', {
          minimum: 1,
          maximum: LOG_LIMIT_MAX,
        }),
      ),
      product_path: may(
        Type.Unsafe({
          type: 'string',
          enum: [...PRODUCT_PATHS],
          description:
            '`long`: products go to a directory of their execution. `own`: they keep their paths inside the output ' +
            'directory; a path that is not free fails the job. Default: `long`.',
        }),
      ),
      settings: may(byName(setting, 'Values by the names of settings of the manifest.')),
    },
    { examples },
  );
}

const EXAMPLE = { output_workspaces: { default: 'products' }, priority: 50 };

export const JobConfiguration = configuration(
  'JobConfiguration',
  'How jobs run: where outputs go, mounts, settings, priority',
  Type.String(),
  [
    EXAMPLE,
    {
      mounts: { models: { type: 'host', host_path: '/data/models' } },
      output_workspaces: { default: 'products', outputs: { COMPRESSED: 'arrivals' } },
      priority: 10,
      settings: { LEVEL: '9' },
    },
  ],
);

export const RecipeConfiguration = configuration(
  'RecipeConfiguration',
  'How the jobs of one recipe run, on top of the configurations of their types',
  Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
  [EXAMPLE, { settings: { LEVEL: 9, FAST: true } }],
);
