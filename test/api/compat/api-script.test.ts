/** The script that sets an installation up from nothing, as scripts in use do it, and what comes of it. */
import t, { type Test } from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import {
  type Clients,
  COUNT_SKETCH,
  FAIL_SKETCH,
  INNER_DEFINITION,
  jobTypeBody,
  makeFolders,
  OUTER_DEFINITION,
  READ_SKETCH,
  startClients,
  untilAnswer,
  withHeaders,
} from './clients-world.ts';

const PASSWORD = 'a-password-of-tests';

/** As scripts do: a token for the administrator's password, by a form. */
async function loggedIn(t: Test): Promise<Clients> {
  const env = {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_AUTH: 'on',
    MILLRACE_ADMIN_PASSWORD: PASSWORD,
  };
  const stranger = await startClients(t, env);
  t.equal((await stranger.get('accounts/profile/')).status, 401);
  t.equal((await stranger.get('jobs/')).status, 401);
  t.equal((await stranger.get('version/')).status, 200);
  const form = new FormData();
  form.append('username', 'admin');
  form.append('password', PASSWORD);
  const { status, json } = await stranger.call('POST', '/api-token-auth/', form);
  t.equal(status, 200, JSON.stringify(json));
  const clients = withHeaders(stranger, { authorization: `Token ${json.token}` });
  const profile = await clients.get('accounts/profile/');
  t.match(profile.json, { first_name: 'Admin', last_name: 'User', is_staff: true, username: 'admin' });
  return clients;
}

t.test('clients: a script sets up an installation and processes a scan', async (t) => {
  const clients = await loggedIn(t);
  const { call, get } = clients;
  const { scanned, products } = makeFolders(clients.world);

  for (const [title, path] of [
    ['Scanned', scanned],
    ['Products', products],
    ['Nowhere', '/no/such/folder'],
  ] as const) {
    const made = await call('POST', 'workspaces/', {
      name: title.toLowerCase(),
      title,
      description: `${title} of a script`,
      base_url: 'http://host.com/w',
      is_active: true,
      configuration: { version: '6', broker: { type: 'host', host_path: path } },
    });
    t.equal(made.status, 201, JSON.stringify(made.json));
    t.equal(made.json.name, title.toLowerCase());
    t.equal(made.headers.get('location'), `${clients.url}api/v6/workspaces/${made.json.id}/`);
  }
  for (const sketch of [READ_SKETCH, COUNT_SKETCH, FAIL_SKETCH]) {
    const made = await call('POST', 'job-types/', jobTypeBody(sketch));
    t.equal(made.status, 201, JSON.stringify(made.json));
    t.match(made.json, {
      docker_image: 'process:default',
      container_image: 'process:default',
      revision_num: 1,
      title: sketch.title,
    });
  }
  for (const [title, definition] of [
    ['Inner recipe', INNER_DEFINITION],
    ['Outer recipe', OUTER_DEFINITION],
  ] as const) {
    const made = await call('POST', 'recipe-types/', { title, description: null, definition });
    t.equal(made.status, 201, JSON.stringify(made.json));
    t.match(made.json, { title, name: title.toLowerCase().replace(' ', '-') });
    t.equal(made.json.job_types[0].docker_image, 'process:default');
    t.equal(made.json.job_types[0].manifest.seedVersion, '1.0.0');
  }
  const scan = await call('POST', 'scans/', {
    title: 'My scan',
    description: null,
    configuration: {
      version: '6',
      workspace: 'scanned',
      scanner: { type: 'dir', transfer_suffix: '_tmp' },
      recursive: true,
      files_to_ingest: [{ filename_regex: '.*txt', data_types: ['text'] }],
      recipe: { name: 'outer-recipe' },
    },
  });
  t.equal(scan.status, 201, JSON.stringify(scan.json));
  t.equal(scan.json.job.status, 'PENDING');
  t.strictSame(scan.json.configuration.scanner, scan.json.configuration.monitor);
  const processed = await call('POST', `scans/${scan.json.id}/process/?ingest=true`);
  t.equal(processed.status, 201, JSON.stringify(processed.json));
  t.equal(processed.json.job.status, 'QUEUED');
  t.equal(processed.json.job.job_type.name, 'millrace-scan');

  const recipes = await untilAnswer(
    clients,
    'recipes/?recipe_type_name=outer-recipe&is_completed=true',
    ({ json }) => json.count === 3,
  );
  t.equal(recipes.json.results[0].recipe_type.title, 'Outer recipe');
  t.equal((await get('files/?file_type=PRODUCT')).json.count, 9);
  const again = await call('POST', `scans/${scan.json.id}/process/`, { ingest: true });
  t.equal(again.status, 201, JSON.stringify(again.json));
});
