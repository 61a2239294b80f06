/**
 * The configuration of a strike as details of ingests show it: in the present form, plus the keys of an older form that
 * existing clients still read.
 */
import { isJsonObject } from '../document/json-value.ts';

type Document = Readonly<Record<string, unknown>>;

/** `broker` is that of the watched workspace. The caller masks secrets. */
export function withLegacyKeys(configuration: Document, broker: Document): Document {
  const workspace = configuration.workspace;
  const monitor = isJsonObject(configuration.monitor) ? configuration.monitor : {};
  const rules = Array.isArray(configuration.files_to_ingest) ? configuration.files_to_ingest : [];
  return {
    ...configuration,
    transfer_suffix: monitor.transfer_suffix ?? null,
    mount: broker.host_path ?? broker.nfs_path ?? broker.bucket_name ?? null,
    mount_on: typeof workspace === 'string' ? `/workspaces/${workspace}` : null,
    files_to_ingest: rules.filter(isJsonObject).map((rule) => ({
      ...rule,
      workspace_path: rule.new_file_path ?? null,
      workspace_name: rule.new_workspace ?? workspace ?? null,
    })),
  };
}
