/**
 * What the light runtime (container.c) is told: the steps that make the container of a runtime's configuration. The
 * configuration is the same that runc gets, so that both containers have the same rules. Pure.
 */
import { TaskFailure } from '../../../task/task-failure.ts';
import type { RuntimeConfig, RuntimeMount } from '../bundle.ts';
import type { ContainerGroups } from './groups.ts';

/** `MOUNT_ATTR_` of the kernel. Mounts are writable, and access times are relative, unless something else is said. */
const ATTRIBUTES: Readonly<Record<string, number>> = {
  ro: 0x1,
  nosuid: 0x2,
  nodev: 0x4,
  noexec: 0x8,
  strictatime: 0x20,
  rw: 0,
  rbind: 0,
};

/** Nodes of a container's /dev, which are the host's: name, major and minor number. */
const DEVICES = [
  ['null', 1, 3],
  ['zero', 1, 5],
  ['full', 1, 7],
  ['random', 1, 8],
  ['urandom', 1, 9],
  ['tty', 5, 0],
] as const;
const LINKS = [
  ['fd', '/proc/self/fd'],
  ['stdin', '/proc/self/fd/0'],
  ['stdout', '/proc/self/fd/1'],
  ['stderr', '/proc/self/fd/2'],
  ['ptmx', 'pts/ptmx'],
] as const;

type Step = readonly [name: string, ...fields: (string | number)[]];

/**
 * The filter of system calls, after the number of its bytes, and then the steps. Throws TaskFailure if a text contains
 * a NUL.
 */
export function encodeContainer(
  config: RuntimeConfig,
  groups: ContainerGroups,
  rootfs: string,
  filter: Buffer,
): Buffer {
  const words: (string | number)[] = [];
  for (const [name, ...fields] of containerSteps(config, groups, rootfs))
    words.push(name, fields.length, ...fields);
  const text = `${words.join('\0')}\0`;
  if (text.split('\0').length !== words.length + 1)
    throw new TaskFailure('docker-task-launch', 'an argument or a variable contains a NUL');
  return Buffer.concat([Buffer.from(`${filter.length}\0`), filter, Buffer.from(text)]);
}

/** `rootfs` is where the container's files are put together, in its own namespace. */
export function containerSteps(config: RuntimeConfig, groups: ContainerGroups, rootfs: string): Step[] {
  const { process: program, linux, hostname, mounts, root } = config;
  const [mapping] = linux.uidMappings;
  const [files, ...others] = mounts;
  if (files?.type !== 'overlay' || mapping === undefined) throw new Error('no layers, or no users');
  const directories = [...new Set(Object.values(groups.paths))];
  const limits = groups.limits.map(([path, value]): Step => ['limit', path, value]);
  const { '': unified } = groups.paths;
  // Paths of the kernel are covered before anything of the task is mounted.
  const isBound = ({ type }: RuntimeMount) => type === 'bind';
  return [
    ...directories.map((path): Step => ['group', path, groups.areMade === true ? 'kept' : 'new']),
    ...(groups.areMade === true ? [] : limits),
    ...(unified === undefined ? [] : [['devices', unified, groups.devices.join(' ')] satisfies Step]),
    ['users', mapping.hostID, mapping.size],
    ['oom', program.oomScoreAdj],
    ['host', hostname],
    ...(linux.namespaces.some(({ type }) => type === 'network') ? [['network'] satisfies Step] : []),
    // The program sets `nodev` and `nosuid` itself; the other options are those of the layers.
    ['root', rootfs, files.options.filter((option) => !(option in ATTRIBUTES)).join(',')],
    ...others.filter((mount) => !isBound(mount)).flatMap(stepsOf),
    ...linux.maskedPaths.map((path): Step => ['mask', path]),
    ...linux.readonlyPaths.map((path): Step => ['protect', path]),
    ...others.filter(isBound).flatMap(stepsOf),
    ['folder', program.cwd],
    ...(root.readonly ? [['seal'] satisfies Step] : []),
    ['user', program.user.uid, program.user.gid],
    ...program.args.map((word): Step => ['word', word]),
    ...program.env.map((variable): Step => ['variable', variable]),
  ];
}

function stepsOf({ type, source, destination, options }: RuntimeMount): Step[] {
  let attributes = 0;
  for (const option of options) attributes |= ATTRIBUTES[option] ?? 0;
  if (type === 'bind' || options.includes('rbind')) return [['bind', source, destination, attributes]];
  const data = options.filter((option) => !(option in ATTRIBUTES)).join(',');
  const made: Step = ['new', type, destination, attributes, data];
  return destination === '/dev' ? [made, ...DEVICE_STEPS] : [made];
}

const DEVICE_STEPS: readonly Step[] = [
  ...DEVICES.map(([name, major, minor]): Step => ['device', `/dev/${name}`, `/dev/${name}`, major, minor]),
  ...LINKS.map(([name, target]): Step => ['link', name, target]),
];
