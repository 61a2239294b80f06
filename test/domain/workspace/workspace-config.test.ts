import fc from 'fast-check';
import t from 'tap';
import {
  maskedWorkspaceConfiguration,
  unmaskedWorkspaceConfiguration,
  validateWorkspaceConfiguration,
  type WorkspaceConfiguration,
} from '../../../src/domain/workspace/workspace-config.ts';

const errorsOf = (document: unknown): string[] => {
  const checked = validateWorkspaceConfiguration(document);
  return checked.ok ? [] : checked.errors.map((problem) => `${problem.name} ${problem.path}`);
};
const accepted = (document: unknown): WorkspaceConfiguration => {
  const checked = validateWorkspaceConfiguration(document);
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return checked.value;
};
const KEYS = { access_key_id: 'AK', secret_access_key: 'SK' };

t.test('workspace configuration: each broker is accepted with its own fields', async (t) => {
  t.strictSame(accepted({ version: '7', broker: { type: 'host', host_path: '/data//in/./x/' } }), {
    broker: { type: 'host', host_path: '/data/in/x' },
  });
  t.strictSame(accepted({ broker: { type: 'nfs', nfs_path: 'files.example:/export/a' } }), {
    broker: { type: 'nfs', nfs_path: 'files.example:/export/a' },
  });
  t.strictSame(accepted({ broker: { type: 'nfs', nfs_path: '[fe80::1]:/a' } }), {
    broker: { type: 'nfs', nfs_path: '[fe80::1]:/a' },
  });
  const broker = {
    type: 'objstore',
    bucket_name: 'my_bucket.domain.com',
    credentials: KEYS,
    host_path: '/mnt/bucket',
    region_name: 'us-east-1',
    endpoint: 'http://127.0.0.1:9000',
    path_style: true,
  };
  t.strictSame(accepted({ broker }), { broker });
});

t.test('workspace configuration: absent, empty or blank credentials mean role-based access', async (t) => {
  for (const credentials of [undefined, null, {}, { access_key_id: ' ', secret_access_key: 'x' }]) {
    const value = accepted({ broker: { type: 'objstore', bucket_name: 'abc', credentials, host_path: ' ' } });
    t.strictSame(value, { broker: { type: 'objstore', bucket_name: 'abc' } });
  }
});

t.test(
  'workspace configuration: the text `workspace`, which has no meaning, is dropped with a warning',
  async (t) => {
    const checked = validateWorkspaceConfiguration({
      workspace: 'x',
      broker: { type: 'host', host_path: '/a' },
    });
    t.match(checked, { ok: true, warnings: [{ path: 'workspace' }] });
    t.strictSame(checked.ok && checked.value, { broker: { type: 'host', host_path: '/a' } });
  },
);

t.test(
  'workspace configuration: malformed fields and problems of the broker have different names',
  async (t) => {
    const cases: [unknown, string[]][] = [
      [null, ['INVALID_CONFIGURATION ']],
      [[], ['INVALID_CONFIGURATION ']],
      [{}, ['INVALID_CONFIGURATION broker', 'INVALID_CONFIGURATION broker.type']],
      [{ broker: 'host' }, ['INVALID_CONFIGURATION broker', 'INVALID_CONFIGURATION broker.type']],
      [{ broker: {} }, ['INVALID_CONFIGURATION broker.type']],
      [{ broker: { type: 's3' } }, ['INVALID_CONFIGURATION broker.type']],
      [{ broker: { type: 'host' } }, ['INVALID_BROKER broker.host_path']],
      [{ broker: { type: 'host', host_path: '' } }, ['INVALID_BROKER broker.host_path']],
      [{ broker: { type: 'host', host_path: 'data' } }, ['INVALID_BROKER broker.host_path']],
      [{ broker: { type: 'host', host_path: '/' } }, ['INVALID_BROKER broker.host_path']],
      [{ broker: { type: 'host', host_path: '//./' } }, ['INVALID_BROKER broker.host_path']],
      [{ broker: { type: 'host', host_path: '/a/../b' } }, ['INVALID_BROKER broker.host_path']],
      [{ broker: { type: 'host', host_path: 5 } }, ['INVALID_BROKER broker.host_path']],
      [
        { broker: { type: 'host', host_path: '/a', bucket_name: 'abc' } },
        ['INVALID_BROKER broker.bucket_name'],
      ],
      [{ broker: { type: 'nfs' } }, ['INVALID_BROKER broker.nfs_path']],
      [{ broker: { type: 'nfs', nfs_path: '/export' } }, ['INVALID_BROKER broker.nfs_path']],
      [{ broker: { type: 'nfs', nfs_path: 'host:export' } }, ['INVALID_BROKER broker.nfs_path']],
      [{ broker: { type: 'nfs', nfs_path: '-o rw host:/x' } }, ['INVALID_BROKER broker.nfs_path']],
      [{ broker: { type: 'nfs', nfs_path: 'host:/a/../b' } }, ['INVALID_BROKER broker.nfs_path']],
      [{ broker: { type: 'objstore' } }, ['INVALID_BROKER broker.bucket_name']],
      [{ broker: { type: 'objstore', bucket_name: 'ab' } }, ['INVALID_BROKER broker.bucket_name']],
      [{ broker: { type: 'objstore', bucket_name: 'a/b' } }, ['INVALID_BROKER broker.bucket_name']],
      [
        { broker: { type: 'objstore', bucket_name: 'abc', credentials: { access_key_id: 'a' } } },
        ['INVALID_BROKER broker.credentials.secret_access_key'],
      ],
      [
        { broker: { type: 'objstore', bucket_name: 'abc', endpoint: 'ftp://x', host_path: 'rel' } },
        ['INVALID_BROKER broker.host_path', 'INVALID_BROKER broker.endpoint'],
      ],
      [{ broker: { type: 'host', host_path: '/a' }, extra: 1 }, ['INVALID_CONFIGURATION extra']],
      [{ version: '5', broker: { type: 'host', host_path: '/a' } }, ['INVALID_VERSION version']],
      [{ broker: { type: 'host', host_path: '/a\u0000' } }, ['INVALID_CONFIGURATION broker.host_path']],
    ];
    for (const [document, expected] of cases)
      t.strictSame(errorsOf(document), expected, JSON.stringify(document));
  },
);

t.test('workspace configuration: no JSON value makes validation throw', async () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom('host', 'nfs', 'objstore'),
      fc.jsonValue(),
      (one, type, other) => {
        validateWorkspaceConfiguration(one);
        validateWorkspaceConfiguration({ broker: one });
        validateWorkspaceConfiguration({
          broker: { type, host_path: one, credentials: other, bucket_name: other },
        });
      },
    ),
  );
});

t.test(
  'workspace configuration: secrets are masked in answers, and kept if the mask is sent back',
  async (t) => {
    const stored = accepted({ broker: { type: 'objstore', bucket_name: 'abc', credentials: KEYS } });
    const masked = maskedWorkspaceConfiguration(stored);
    t.notMatch(JSON.stringify(masked), /AK|SK/);
    t.strictSame(unmaskedWorkspaceConfiguration(masked, stored), stored);
    const host = accepted({ broker: { type: 'host', host_path: '/a' } });
    t.strictSame(maskedWorkspaceConfiguration(host), host);
    t.strictSame(unmaskedWorkspaceConfiguration(masked, host), masked);
    const half = {
      broker: { ...masked.broker, credentials: { access_key_id: 'NEW', secret_access_key: '*'.repeat(12) } },
    };
    t.match(unmaskedWorkspaceConfiguration(accepted(half), stored), {
      broker: { credentials: { access_key_id: 'NEW', secret_access_key: 'SK' } },
    });
  },
);
