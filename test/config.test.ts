import { inspect } from 'node:util';
import t from 'tap';
import { type Command, type Config, parseConfig } from '../src/config/config.ts';
import { addressText, isLoopback, parseAddress } from '../src/lib/listen-address.ts';

const problems = (command: Command, env: Record<string, string>, args: string[] = []) => {
  const checked = parseConfig(command, env, args);
  return checked.ok ? [] : checked.errors.map(({ name, path }) => `${path} ${name}`);
};

function config(command: Command, env: Record<string, string> = {}, args: string[] = []): Config {
  const checked = parseConfig(command, env, args);
  if (!checked.ok) throw new Error(checked.errors.map(({ description }) => description).join());
  return checked.value;
}

t.test('config: `up` works without any setting', async (t) => {
  t.match(config('up'), {
    http: { host: '127.0.0.1', port: 8080 },
    dataDir: /^\/.*\/\.millrace$/,
    secretKeyFile: /\.millrace\/secret\.key$/,
    executors: ['oci', 'docker', 'process:default'],
    logLevel: 'info',
  });
  t.notOk('databaseUrl' in config('up'));
});

t.test('config: flags precede the environment, in both spellings', async (t) => {
  const env = { MILLRACE_HTTP: '127.0.0.1:1', MILLRACE_LOG_LEVEL: 'warn' };
  t.same(config('up', env, ['--http', '127.0.0.1:0']).http, { host: '127.0.0.1', port: 0 });
  t.same(config('up', env, ['--http=[::1]:9']).http, { host: '::1', port: 9 });
  t.equal(config('up', env, ['--http=localhost:9']).logLevel, 'warn');
});

t.test('config: headers of a collector are read in the form of OpenTelemetry', async (t) => {
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-tenant = b' };
  const { otlp } = config('up', { ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' });
  t.equal(otlp?.endpoint, 'http://127.0.0.1:4318');
  t.same(JSON.parse(otlp?.headers.reveal() ?? ''), { authorization: 'Bearer abc', 'x-tenant': 'b' });
  t.notOk('otlp' in config('up', headers), 'without an endpoint there is no tracing');
});

t.test('config: an empty value counts as unset', async (t) => {
  t.equal(config('up', { MILLRACE_HTTP: '', DATABASE_URL: '' }).http.port, 8080);
});

t.test('config: lists, labels and addresses are read', async (t) => {
  const env = {
    MILLRACE_LABELS: 'zone=a, gpu=, team/name=x.y',
    MILLRACE_EXECUTORS: 'process:default,docker',
    MILLRACE_COORDINATORS: 'one:8081, [::1]:8082',
  };
  const read = config('agent', env);
  t.same(read.labels, { zone: 'a', gpu: '', 'team/name': 'x.y' });
  t.same(read.executors, ['process:default', 'docker']);
  t.same(read.coordinators, [
    { host: 'one', port: 8081 },
    { host: '::1', port: 8082 },
  ]);
  t.same(read.coordinators.map(addressText), ['one:8081', '[::1]:8082'], 'written as it is read');
});

for (const host of [
  '0.0.0.0',
  '[::]',
  '10.0.0.1',
  'example.org',
  '[::ffff:127.0.0.1]',
  '127.0.0.1.example.org',
]) {
  t.test(`config: HTTP on ${host} needs authentication, unless off-beyond-loopback is set`, async (t) => {
    const MILLRACE_HTTP = `${host}:8080`;
    t.equal(config('up', { MILLRACE_HTTP }).isAuthOn, true, 'by default');
    t.equal(config('up', { MILLRACE_HTTP, MILLRACE_AUTH: 'on' }).isAuthOn, true);
    t.same(problems('up', { MILLRACE_HTTP, MILLRACE_AUTH: 'off' }), [
      'MILLRACE_AUTH AUTH_OFF_BEYOND_LOOPBACK',
    ]);
    t.same(problems('up', { MILLRACE_HTTP, MILLRACE_AUTH: 'no' }), ['MILLRACE_AUTH INVALID_SETTING']);
    t.equal(config('up', { MILLRACE_HTTP, MILLRACE_AUTH: 'off-beyond-loopback' }).isAuthOn, false);
  });
}

t.test('config: authentication is off on loopback, unless it is switched on', async (t) => {
  for (const [MILLRACE_AUTH, isAuthOn] of [
    ['', false],
    ['off', false],
    ['off-beyond-loopback', false],
    ['on', true],
  ] as const) {
    t.equal(config('up', { MILLRACE_AUTH }).isAuthOn, isAuthOn, MILLRACE_AUTH);
  }
});

t.test('config: trusted proxies are addresses and ranges', async (t) => {
  t.same(config('up').trustedProxies, []);
  const read = config('up', { MILLRACE_TRUSTED_PROXIES: '10.0.0.0/8, ::1,fd00::/8' });
  t.same(read.trustedProxies, ['10.0.0.0/8', '::1', 'fd00::/8']);
});

t.test('config: a gRPC address beyond loopback needs a join token', async (t) => {
  t.same(problems('up', { MILLRACE_GRPC: '0.0.0.0:8081' }), ['MILLRACE_GRPC JOIN_TOKEN_MISSING']);
  t.same(problems('up', { MILLRACE_GRPC: '0.0.0.0:8081', MILLRACE_JOIN_TOKEN: 'x'.repeat(16) }), []);
});

const REFUSED: [setting: string, value: string][] = [
  ['MILLRACE_HTTP', '8080'],
  ['MILLRACE_HTTP', 'localhost:65536'],
  ['MILLRACE_LEASE_MS', '1999'],
  ['MILLRACE_TLS_CERTIFICATE_S', '9'],
  ['MILLRACE_LEASE_MS', '60001'],
  ['MILLRACE_HTTP', 'http://localhost:80'],
  ['MILLRACE_HTTP', '[localhost]:80'],
  ['MILLRACE_ALLOWED_HOSTS', 'a b'],
  ['MILLRACE_ALLOWED_ORIGINS', 'mill.example:8080'],
  ['MILLRACE_ALLOWED_ORIGINS', 'http://mill.example/ui'],
  ['MILLRACE_ALLOWED_ORIGINS', 'http://mill.example:65536'],
  ['MILLRACE_ALLOWED_ORIGINS', 'http://*.example'],
  ['MILLRACE_ALLOWED_ORIGINS', 'http://a@mill.example'],
  ['MILLRACE_ALLOWED_ORIGINS', 'ftp://mill.example'],
  ['MILLRACE_ALLOWED_ORIGINS', 'http://mill.example,null'],
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['DATABASE_URL', 'localhost'],
  ['NATS_URL', 'nats://a:4222,http://b'],
  ['MILLRACE_COORDINATORS', 'a:1,b'],
  ['MILLRACE_COORDINATORS', ','],
  ['MILLRACE_JOIN_TOKEN', 'short'],
  ['MILLRACE_METRICS_TOKEN', 'short'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://collector:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'],
  ['MILLRACE_NODE_NAME', '-a'],
  ['MILLRACE_NODE_NAME', 'a/b'],
  ['MILLRACE_LABELS', 'a'],
  ['MILLRACE_LABELS', '=a'],
  ['MILLRACE_EXECUTORS', 'podman'],
  ['MILLRACE_EXECUTORS', 'process'],
  ['MILLRACE_DOCKER_HOST', '/var/run/docker.sock'],
  ['MILLRACE_WORKSPACES', 'not-a-uuid'],
  ['MILLRACE_S3_ENDPOINT', 'localhost:9000'],
  ['MILLRACE_DRAIN_MS', '-1'],
  ['MILLRACE_DRAIN_MS', '1e3'],
  ['MILLRACE_DRAIN_MS', '999999999'],
  ['MILLRACE_LOG_LEVEL', 'verbose'],
  ['MILLRACE_AUTH', 'yes'],
  ['MILLRACE_TRUSTED_PROXIES', 'proxy.example.org'],
  ['MILLRACE_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['MILLRACE_TRUSTED_PROXIES', '10.0.0/8'],
  ['MILLRACE_REQUESTS_PER_SECOND', '-1'],
  ['MILLRACE_ADMIN_PASSWORD', 'short'],
];

for (const [setting, value] of REFUSED) {
  t.test(`config: ${setting}=${value} is refused`, async (t) => {
    t.same(problems('up', { [setting]: value }), [`${setting} INVALID_SETTING`]);
  });
}

t.test('config: all problems are reported at once', async (t) => {
  const env = { MILLRACE_HTTP: 'x', MILLRACE_LOG_LEVEL: 'x', MILLRACE_DRAIN_MS: 'x' };
  t.same(problems('coordinator', env, ['--nope', 'x', '--grpc']), [
    '--nope UNKNOWN_FLAG',
    'MILLRACE_GRPC VALUE_MISSING',
    'MILLRACE_HTTP INVALID_SETTING',
    'MILLRACE_DRAIN_MS INVALID_SETTING',
    'MILLRACE_LOG_LEVEL INVALID_SETTING',
    'DATABASE_URL DATABASE_MISSING',
  ]);
});

t.test('config: secrets are refused as flags and never printed', async (t) => {
  const secret = 'hunter2-hunter2-hunter2';
  t.same(problems('up', {}, ['--join-token', secret]), ['MILLRACE_JOIN_TOKEN SECRET_IN_ARGUMENTS']);
  const env = {
    MILLRACE_JOIN_TOKEN: secret,
    DATABASE_URL: `postgres://a:${secret}@h/d`,
    MILLRACE_ADMIN_PASSWORD: secret,
  };
  const read = config('up', env);

  t.equal(read.joinToken?.reveal(), secret);
  for (const printed of [JSON.stringify(read), inspect(read, { depth: 9 }), `${read.joinToken}`]) {
    t.notMatch(printed, secret);
  }
});

t.test('config: a refused value is not shown', async (t) => {
  const checked = parseConfig('up', { DATABASE_URL: 'hunter2', MILLRACE_JOIN_TOKEN: 'hunter2' }, []);
  t.notMatch(JSON.stringify(checked), 'hunter2');
});

t.test('config: a misspelt variable causes a warning', async (t) => {
  const ofCommands = { MILLRACE_SERVER: 'x', MILLRACE_TOKEN: 'x', MILLRACE_PROFILE: 'x' };
  const env = { MILLRACE_HTPP: 'x', MILLRACE_TEST_DATABASE_URL: 'x', PATH: 'x', ...ofCommands };
  const checked = parseConfig('up', env, []);
  t.match(checked, {
    ok: true,
    warnings: [
      { name: 'UNKNOWN_SETTING', path: 'MILLRACE_HTPP', description: /did you mean 'MILLRACE_HTTP'/ },
    ],
  });
  t.equal(checked.warnings.length, 1);
});

t.test('config: addresses are parsed, and loopback hosts are recognized', async (t) => {
  t.same(parseAddress('a.b:0'), { host: 'a.b', port: 0 });
  for (const text of ['', ':80', 'a:', 'a:b', 'a:123456', 'a b:1', '::1:80', '[::1]']) {
    t.equal(parseAddress(text), undefined, text);
  }
  for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1'])
    t.ok(isLoopback(host), host);
  for (const host of ['::', '0.0.0.0', '128.0.0.1', 'localhost.example.org', '127.1'])
    t.notOk(isLoopback(host), host);
});

t.test('config: a certificate of HTTP needs its key, and TLS has a default folder', async (t) => {
  const one = parseConfig('up', { MILLRACE_HTTP_CERTIFICATE: '/c.pem' }, []);
  t.match(one, { ok: false, errors: [{ name: 'VALUE_MISSING', path: 'MILLRACE_HTTP_KEY' }] });
  const other = parseConfig('up', { MILLRACE_HTTP_KEY: '/c.key' }, []);
  t.match(other, { ok: false, errors: [{ name: 'VALUE_MISSING', path: 'MILLRACE_HTTP_CERTIFICATE' }] });
  const flag = parseConfig('up', { MILLRACE_TLS: 'yes' }, []);
  t.match(flag, { ok: false, errors: [{ name: 'INVALID_SETTING', path: 'MILLRACE_TLS' }] });
  const env = { MILLRACE_HTTP_CERTIFICATE: '/c.pem', MILLRACE_HTTP_KEY: '/c.key', MILLRACE_TLS: 'on' };
  const both = parseConfig('up', { ...env, MILLRACE_DATA_DIR: '/data' }, []);
  t.match(both, {
    ok: true,
    value: {
      httpTls: { certificateFile: '/c.pem', keyFile: '/c.key' },
      tls: { isOn: true, folder: '/data/tls', certificateDays: 90 },
    },
  });
});
