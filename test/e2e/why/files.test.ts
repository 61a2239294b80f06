/** Why files are not ingested, or started nothing; and what strikes and scans would do with names. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { type Cause, causedBy, follow } from '../harness/causes.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';

const whyOf = (path: string, workspace = 'arrivals') =>
  `/v6/files/why/?workspace=${workspace}&path=${encodeURIComponent(path)}`;

interface FileWhy {
  readonly file: { readonly id: number; readonly file_type: string } | null;
  readonly ingests: readonly { readonly status: string; readonly recipe: { readonly id: number } | null }[];
  readonly causes: readonly Cause[];
}
interface TriedNames {
  readonly causes: readonly Cause[];
  readonly results: readonly {
    readonly is_taken: boolean;
    readonly path: string | null;
    readonly causes: readonly Cause[];
  }[];
}

async function prepared(client: InterfaceClient, arrivals: string, target: string) {
  const workspace = (title: string, path: string) =>
    client.post<{ id: number; name: string }>('/v6/workspaces/', {
      title,
      configuration: { broker: { type: 'host', host_path: path } },
    });
  const watched = await workspace('Arrivals', arrivals);
  const moved = await workspace('Target', target);
  const inputs = [{ name: 'FILE', mediaTypes: ['text/plain'] }];
  const outputs = [{ name: 'OUT', pattern: '*.out', mediaType: 'text/plain' }];
  const script = 'cp "$FILE" $OUTPUT_DIR/a.out';
  await createJobType(client, { name: 'reads', script, inputs, outputs, workspace: moved.name });
  const { name: recipe } = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Reads',
    definition: {
      input: { files: [{ name: 'FILE', required: true, media_types: ['text/plain'] }] },
      nodes: {
        one: {
          dependencies: [],
          input: { FILE: { type: 'recipe', input: 'FILE' } },
          node_type: { node_type: 'job', job_type_name: 'reads', job_type_version: '1.0.0' },
        },
      },
    },
  });
  const configuration = (rules: readonly object[]) => ({
    workspace: watched.name,
    monitor: { type: 'dir-watcher', transfer_suffix: '_tmp', stable_ms: 100 },
    files_to_ingest: rules,
    recipe: { name: recipe },
  });
  const strike = (title: string, rules: readonly object[]) =>
    client.post<{ id: number }>('/v6/strikes/', { title, configuration: configuration(rules) });
  return { watched, moved, recipe, strike, configuration };
}

t.test('why: it explains files that nobody looks at, that wait, and that are left alone', async (t) => {
  const { client, world } = await startPair(t);
  const { arrivals } = world.at;
  const target = join(world.folder, 'target');
  mkdirSync(target);
  const { watched, moved, strike, configuration } = await prepared(client, arrivals, target);
  const put = (name: string) => writeFileSync(join(arrivals, name), name);
  await causedBy(client, whyOf('a.txt'), 'nothing-looks');

  const { id } = await strike('Watch', [{ filename_regex: '.*\\.(txt|bin)', data_types: ['text'] }]);
  const [unseen] = await causedBy(client, whyOf('a.txt'), 'not-seen');
  t.match(unseen.subjects, [{ kind: 'strike', id }]);
  await causedBy(client, whyOf('.a.txt'), 'hidden-name');
  await causedBy(client, whyOf('below/a.txt'), 'in-sub-directory');
  await causedBy(client, whyOf('a.txt_tmp'), 'transfer-suffix');
  await client.patch(`/v6/strikes/${id}/`, { is_paused: true });
  const [paused] = await causedBy(client, whyOf('a.txt'), 'strike-paused');
  t.match(paused.action, { path: `/v6/strikes/${id}/`, body: { is_paused: false } });
  await follow(client, paused);
  await causedBy(client, whyOf('a.txt'), 'not-seen');
  await client.patch(`/v6/workspaces/${watched.id}/`, { is_active: false });
  await causedBy(client, whyOf('a.txt'), 'workspace-inactive');
  await client.patch(`/v6/workspaces/${watched.id}/`, { is_active: true });

  put('a.txt_tmp');
  const [growing] = await causedBy(client, whyOf('a.txt'), 'transferring');
  t.match(growing, {
    amounts: [{ name: 'bytes' }],
    subjects: [{ kind: 'ingest' }, { kind: 'strike', id }],
    since: /^20/,
  });
  renameSync(join(arrivals, 'a.txt_tmp'), join(arrivals, 'a.txt'));
  const [ingested] = await causedBy(client, whyOf('a.txt'), 'ingested');
  const { file, ingests } = await client.get<FileWhy>(whyOf('a.txt'));
  t.match([file?.file_type, ingests], ['SOURCE', [{ status: 'INGESTED' }]]);
  t.match(ingested.action, { method: 'GET', path: `/v6/recipes/${ingests[0]?.recipe?.id}/why/` });

  put('b.bin');
  const [refused] = await causedBy(client, whyOf('b.bin'), 'no-recipe');
  t.match(
    refused.reason,
    /^no recipe was started: the input 'FILE' of 'reads' takes no application\/octet-stream$/,
  );
  put('c.json');
  const [untaken] = await causedBy(client, whyOf('c.json'), 'deferred');
  t.match(untaken.reason, /^no rule takes 'c\.json': tried /);
  const [never] = await causedBy(client, whyOf('d.json'), 'no-rule');
  t.match(never.subjects, [{ kind: 'strike', id }]);

  const second = await strike('Moves', [{ filename_regex: 'a', data_types: [], new_file_path: 'moved' }]);
  const held = await until('the second strike has met it', async () => {
    const { causes } = await client.get<FileWhy>(whyOf('a.txt'));
    return causes.find(({ name }) => name === 'deferred');
  });
  t.match(held.reason, new RegExp(`^the strike ${id} takes this file in where it lies`));
  t.match(held.subjects, [{ kind: 'ingest' }, { kind: 'strike', id: second.id }]);

  const rules = [{ filename_regex: 'e', data_types: [], new_workspace: moved.name }];
  await client.patch(`/v6/strikes/${second.id}/`, { configuration: configuration(rules) });
  await client.patch(`/v6/workspaces/${moved.id}/`, { is_active: false });
  put('e.json');
  const waits = await until('both strikes have met it', async () => {
    const { causes } = await client.get<FileWhy>(whyOf('e.json'));
    const reasons = causes.map(({ reason }) => reason);
    // Each is first 'not-seen'; the second strike may have met it by its rules of before.
    return causes.length === 2 && reasons.includes("the workspace 'target' is not active") && reasons;
  });
  t.ok(
    waits.some((reason) => /no rule takes/.test(reason)),
    JSON.stringify(waits),
  );
});

t.test('why: it explains duplicates, products and scans, and tests names', async (t) => {
  const { client, world } = await startPair(t);
  const { arrivals } = world.at;
  const target = join(world.folder, 'target');
  mkdirSync(target);
  const { recipe, strike } = await prepared(client, arrivals, target);
  const first = {
    filename_regex: '.*\\.txt',
    data_types: ['text'],
    new_workspace: 'target',
    new_file_path: 'kept',
  };
  const path = { filename_regex: 'below/', match: 'path', data_types: [] };
  const { id } = await strike('Watch', [first, path]);
  const names = ['a.txt', 'a.txt_tmp', '.a.txt', 'below/a.txt', 'a.json'];
  const test = await client.post<TriedNames>(`/v6/strikes/${id}/test/`, { names });
  t.match(test.results[0], {
    ...{
      name: 'a.txt',
      is_taken: true,
      rule: { index: 0, filename_regex: first.filename_regex, match: 'name' },
    },
    ...{
      data_type_tags: ['text'],
      workspace: 'target',
      recipe: { name: recipe, revision_num: 1 },
      causes: [],
    },
    media_type: 'text/plain',
  });
  t.match(test.results[0]?.path, /^kept\/\d{4}\/\d\d\/\d\d\/a\.txt$/);
  t.strictSame(
    test.results.slice(1).map(({ is_taken, causes }) => [is_taken, causes[0]?.name]),
    [
      [false, 'transfer-suffix'],
      [false, 'hidden-name'],
      [false, 'in-sub-directory'],
      [false, 'no-rule'],
    ],
  );
  const scan = await client.post<{ id: number }>('/v6/scans/', {
    title: 'Scan',
    configuration: {
      workspace: 'arrivals',
      scanner: { type: 'dir', transfer_suffix: '_part' },
      recursive: true,
      files_to_ingest: [path],
      recipe: { name: recipe },
    },
  });
  const scanned = await client.post<TriedNames>(`/v6/scans/${scan.id}/test/`, {
    names: ['below/a.txt', 'below/a.txt_part', 'below/a.bin', 'a.txt'],
  });
  t.strictSame(
    scanned.results.map(({ is_taken, causes }) => [is_taken, causes[0]?.name]),
    [
      [true, undefined],
      [false, 'transfer-suffix'],
      [true, 'recipe-takes-no-such-file'],
      [false, 'no-rule'],
    ],
  );
  t.match(await causedBy(client, whyOf('below/a.txt'), 'in-sub-directory'), [{}, { name: 'not-scanned' }]);

  writeFileSync(join(arrivals, 'a.txt'), 'the same');
  await causedBy(client, whyOf('a.txt'), 'ingested');
  const made = await until('its product is stored', async () => {
    const { results } = await client.get<{ results: { file_path: string }[] }>(
      '/v6/files/?file_type=PRODUCT',
    );
    return results[0]?.file_path;
  });
  await causedBy(client, whyOf(made, 'target'), 'product');
  writeFileSync(join(arrivals, 'a.txt'), 'the same');
  await causedBy(client, whyOf('a.txt'), 'duplicate');
});

t.test('why: a wrong question is refused with field and reason', async (t) => {
  const { client } = await startPair(t);
  const refused = async (path: string, body?: object) => {
    const answer = await fetch(new URL(path, client.base), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return [answer.status, ((await answer.json()) as { detail: string }).detail];
  };
  t.match(await refused('/v6/files/why/'), [400, /^workspace: is required \(and 1 more\)$/]);
  t.match(await refused('/v6/files/why/?workspace=&path='), [400, /^workspace: is required \(and 1 more\)$/]);
  t.match(await refused('/v6/files/why/?workspace=none&path='), [400, 'path: is required']);
  t.match(await refused('/v6/files/why/?workspace=none&path=a'), [404, "there is no workspace 'none'"]);
  t.match(await refused('/v6/files/why/?workspace=none&path=../a'), [
    400,
    /path: the path has a '\.\.' segment/,
  ]);
  t.match(await refused('/v6/strikes/1/test/', { names: ['a'] }), [404, 'there is no strike 1']);
  t.match(await refused('/v6/scans/1/test/', { names: [''] }), [400, /names/]);
  for (const kind of ['strikes', 'scans']) {
    const names = ['a', '/a', '../a', 'a/../b', './a', 'a//b', 'a/', 'x'.repeat(256)];
    t.match(await refused(`/v6/${kind}/1/test/`, { names }), [400, 'names[1]: is absolute (and 6 more)']);
  }
  t.match(await refused('/v6/jobs/1/why/'), [404, 'there is no job 1']);
  t.match(await refused('/v6/recipes/1/why/'), [404, 'there is no recipe 1']);
});
