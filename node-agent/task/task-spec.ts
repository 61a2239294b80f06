/**
 * The contents of a launch, parsed. Secrets are kept in memory only; the launch is written to disk without them, and
 * after a restart the coordinator sends it again.
 */
import { LRUCache } from 'lru-cache';
import { AppError } from '../../src/domain/errors.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { Launch } from '../../src/domain/node/coordinator-messages.ts';
import { withoutCredentials } from '../../src/domain/workspace/withheld-credentials.ts';

/** A launch as stored on disk. */
export interface StoredLaunch {
  readonly launch: Launch;
  readonly lacksSettings: boolean;
  readonly lacksCredentials: boolean;
  /** The executor that runs it, also after a restart. Absent in launches of older agents. */
  readonly executor?: string;
  /** The host's boot during which it was accepted. */
  readonly bootId: string;
}

export interface MountConfiguration {
  readonly type: 'host' | 'volume';
  readonly host_path?: string;
  readonly driver?: string;
  readonly driver_opts?: Readonly<Record<string, string>>;
}

export interface TaskSpec {
  readonly launch: Launch;
  readonly manifest: Manifest;
  readonly jsonInputs: Readonly<Record<string, unknown>>;
  readonly mounts: Readonly<Record<string, MountConfiguration>>;
}

// limit: manifests that are kept parsed.
const MANIFESTS_MAX = 100;

/** By text: thousands of jobs of one type have the same manifest. */
const manifests = new LRUCache<string, Manifest>({ max: MANIFESTS_MAX });

function readManifest(text: string): Manifest {
  const known = manifests.get(text);
  if (known !== undefined) return known;
  const manifest = JSON.parse(text) as Manifest;
  manifests.set(text, manifest);
  return manifest;
}

/** Parsed once each, as long as the launch is held, because every phase needs it. */
const specs = new WeakMap<Launch, TaskSpec>();

/** Parses the documents of a launch. Throws AppError INVALID_REQUEST for an invalid launch. */
export function readSpec(launch: Launch): TaskSpec {
  const known = specs.get(launch);
  if (known !== undefined) return known;
  const spec = parseSpec(launch);
  specs.set(launch, spec);
  return spec;
}

function parseSpec(launch: Launch): TaskSpec {
  try {
    return {
      launch,
      manifest: readManifest(launch.manifest),
      jsonInputs: JSON.parse(launch.jsonInputs || '{}') as Record<string, unknown>,
      mounts: JSON.parse(launch.mounts || '{}') as Record<string, MountConfiguration>,
    };
  } catch (error) {
    throw new AppError('INVALID_REQUEST', 'the documents of the launch are not JSON', {}, { cause: error });
  }
}

/** The launch without secrets, for the disk. */
export function withoutSecrets(launch: Launch, bootId: string, executor: string): StoredLaunch {
  const lacksSettings = launch.settings.some((setting) => setting.isSecret);
  const workspaces = launch.workspaces.map(withoutCredentials);
  const lacksCredentials = workspaces.some((workspace, index) => workspace !== launch.workspaces[index]);
  const settings = launch.settings.map((setting) => (setting.isSecret ? { ...setting, value: '' } : setting));
  return { launch: { ...launch, settings, workspaces }, lacksSettings, lacksCredentials, bootId, executor };
}
