/** Settings of containers on a node, read with the others. */

export interface ContainerSettings {
  /** The network of containers that ask for one: `none`, `host`, or a network of the engine. */
  readonly network: string;
  /** `uid:gid`. */
  readonly user: string;
  readonly registryAuthFile?: string;
  /** The size of the cache of unpacked images. */
  readonly imageCacheMib: number;
  /** What runs the containers of the `oci` executor. */
  readonly runtime: (typeof RUNTIMES)[number];
}

const RUNTIMES = ['auto', 'light', 'runc'] as const;

type ContainerSetting =
  | 'MILLRACE_CONTAINER_NETWORK'
  | 'MILLRACE_CONTAINER_USER'
  | 'MILLRACE_REGISTRY_AUTH_FILE'
  | 'MILLRACE_IMAGE_CACHE_MIB'
  | 'MILLRACE_CONTAINER_RUNTIME';

/** Reads one value after the other; undefined if it is absent or wrong, which it records. */
export interface ContainerReader {
  text(name: ContainerSetting): string | undefined;
  form(name: ContainerSetting, form: RegExp, what: string): string | undefined;
  whole(name: ContainerSetting, max: number): number | undefined;
  choice<const V extends string>(name: ContainerSetting, values: readonly V[]): V | undefined;
}

const IMAGE_CACHE_MIB = 20_480;
const IMAGE_CACHE_MIB_MAX = 100_000_000;

export function readContainers(read: ContainerReader): ContainerSettings {
  const file = read.text('MILLRACE_REGISTRY_AUTH_FILE');
  const network = read.form(
    'MILLRACE_CONTAINER_NETWORK',
    /^[a-zA-Z0-9][\w.-]{0,63}$/,
    'none, host or the name of a network',
  );
  const user = read.form('MILLRACE_CONTAINER_USER', /^\d{1,5}:\d{1,5}$/, 'uid:gid, like 65534:65534');
  return {
    network: network ?? 'none',
    user: user ?? '65534:65534',
    ...(file === undefined ? {} : { registryAuthFile: file }),
    imageCacheMib: read.whole('MILLRACE_IMAGE_CACHE_MIB', IMAGE_CACHE_MIB_MAX) ?? IMAGE_CACHE_MIB,
    runtime: read.choice('MILLRACE_CONTAINER_RUNTIME', RUNTIMES) ?? 'auto',
  };
}
