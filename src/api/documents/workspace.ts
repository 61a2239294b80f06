/** The configuration of a workspace (`domain/workspace/workspace-config.ts`). */
import { Type } from '@sinclair/typebox';
import { HTTP_USES } from '../../domain/workspace/workspace-config.ts';
import { WORKSPACES } from '../shared/examples.ts';
import { closed, form, may, text, VERSION, yesOrNo } from './fields.ts';

const type = (value: string) => Type.Unsafe({ type: 'string', enum: [value] });
const key = (description: string) => may(text(description, { minLength: 0, maxLength: 1_000 }));

/** The keys of an object store or a queue. */
export const CREDENTIALS = may(
  closed(
    {
      access_key_id: key('Both keys are given, or neither.'),
      secret_access_key: key('Never shown again.'),
    },
    {
      description:
        'Absent or empty: the credentials of the host are used. Answers mask them; a mask that is sent back keeps ' +
        'them.',
    },
  ),
);

const HostBroker = form('HostBroker', 'A directory of the nodes', {
  type: type('host'),
  host_path: text('An absolute path on the nodes, not `/`, without `..`.', {
    maxLength: 1_000,
    pattern: '^/',
  }),
});
const NfsBroker = form('NfsBroker', 'A directory of an NFS server', {
  type: type('nfs'),
  nfs_path: text('As `server:/path`.', {
    maxLength: 1_000,
    pattern: '^(?:\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+):/[^\\n]*$',
  }),
});
const ObjstoreBroker = form('ObjstoreBroker', 'A bucket of an S3 store', {
  type: type('objstore'),
  bucket_name: text('Of the bucket.', {
    maxLength: 255,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$',
  }),
  credentials: CREDENTIALS,
  host_path: may(
    text('A directory where all nodes have the bucket mounted.', {
      minLength: 0,
      maxLength: 1_000,
      pattern: '^\\s*$|^/',
    }),
  ),
  region_name: may(text('Of the store.', { maxLength: 255 })),
  endpoint: may(
    text('The URL of the store, if it is not the default one, such as `https://store.example:9000`.', {
      maxLength: 255,
      pattern: '^https?://(?:\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(?::\\d{1,5})?/?$',
    }),
  ),
  path_style: yesOrNo('Whether buckets are addressed by the path instead of the host name.'),
});

export const WorkspaceConfiguration = form(
  'WorkspaceConfiguration',
  'Where the files of a workspace are',
  {
    version: VERSION,
    workspace: may(text('Without effect.', { minLength: 0, maxLength: 50 })),
    broker: Type.Union([HostBroker, NfsBroker, ObjstoreBroker]),
    http: may(
      Type.Unsafe({
        type: 'string',
        enum: [...HTTP_USES],
        description:
          'What `/v6/workspaces/{name}/files/` does for staff besides serving recorded files: `read` serves any ' +
          'file, `write` also stores new files. Default: none.',
      }),
    ),
  },
  {
    examples: [
      ...WORKSPACES.map(({ configuration }) => configuration),
      { broker: { type: 'nfs', nfs_path: 'files.example:/exports/shelf' } },
    ],
  },
);
