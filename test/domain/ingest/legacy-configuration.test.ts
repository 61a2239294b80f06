import t from 'tap';
import { withLegacyKeys } from '../../../src/domain/ingest/legacy-configuration.ts';

t.test('legacy configuration: the older keys are added beside the present ones', (t) => {
  const configuration = {
    workspace: 'raw',
    monitor: { type: 'dir-watcher', transfer_suffix: '_part' },
    files_to_ingest: [
      { filename_regex: 'a', new_workspace: 'cold', new_file_path: 'x/y' },
      { filename_regex: 'b' },
    ],
  };
  t.match(withLegacyKeys(configuration, { type: 'host', host_path: '/srv/raw' }), {
    ...configuration,
    ...{ transfer_suffix: '_part', mount: '/srv/raw', mount_on: '/workspaces/raw' },
    files_to_ingest: [
      { filename_regex: 'a', workspace_path: 'x/y', workspace_name: 'cold' },
      { filename_regex: 'b', workspace_path: null, workspace_name: 'raw' },
    ],
  });
  t.equal(withLegacyKeys(configuration, { type: 'nfs', nfs_path: 'host:/raw' }).mount, 'host:/raw');
  t.equal(withLegacyKeys(configuration, { type: 'objstore', bucket_name: 'b' }).mount, 'b');
  t.end();
});

t.test('legacy configuration: malformed documents get older keys of null', (t) => {
  for (const document of [
    {},
    { monitor: 5, files_to_ingest: 'x', workspace: 7 },
    { files_to_ingest: [1, null] },
  ]) {
    t.match(withLegacyKeys(document, {}), { transfer_suffix: null, mount: null, mount_on: null });
  }
  t.end();
});
