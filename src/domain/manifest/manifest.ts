/**
 * The Seed manifest (version 1.0.0) of a job type, with defaults filled: the form in which it is stored and returned.
 * Field names are the standard's. `manifest-check.ts` checks manifests from users.
 */
import type { Interface, JsonType } from '../interface/interface.ts';
import { UNKNOWN_MEDIA_TYPE } from '../media-type.ts';

export interface InputFile {
  readonly name: string;
  readonly required: boolean;
  readonly mediaTypes: readonly string[];
  readonly multiple: boolean;
  readonly partial: boolean;
}
export interface InputJson {
  readonly name: string;
  readonly type: JsonType;
  readonly required: boolean;
}
export interface OutputFile {
  readonly name: string;
  readonly pattern: string;
  /** Absent if none is declared; it is then guessed from each file's name. */
  readonly mediaType?: string;
  readonly multiple: boolean;
  readonly required: boolean;
}
export interface OutputJson {
  readonly name: string;
  readonly type: JsonType;
  /** The member of seed.outputs.json; defaults to the name. */
  readonly key: string;
  readonly required: boolean;
}
export interface Mount {
  readonly name: string;
  readonly path: string;
  readonly mode: 'ro' | 'rw';
}
export interface Setting {
  readonly name: string;
  readonly secret: boolean;
}
export interface ManifestInterface {
  readonly command: string;
  readonly inputs: { readonly files: readonly InputFile[]; readonly json: readonly InputJson[] };
  readonly outputs: { readonly files: readonly OutputFile[]; readonly json: readonly OutputJson[] };
  readonly mounts: readonly Mount[];
  readonly settings: readonly Setting[];
}
export interface ScalarResource {
  readonly name: string;
  readonly value: number;
  readonly inputMultiplier?: number;
}
export interface ManifestError {
  readonly code: number;
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly category: 'job' | 'data';
}
export interface Maintainer {
  readonly name: string;
  readonly email: string;
  readonly organization?: string;
  readonly url?: string;
  readonly phone?: string;
}
export interface Manifest {
  readonly seedVersion: '1.0.0';
  readonly job: {
    readonly name: string;
    readonly jobVersion: string;
    readonly packageVersion: string;
    readonly title: string;
    readonly description: string;
    readonly tags: readonly string[];
    readonly maintainer: Maintainer;
    /** Seconds that the job's own container may run. */
    readonly timeout: number;
    readonly resources: { readonly scalar: readonly ScalarResource[] };
    readonly interface: ManifestInterface;
    readonly errors: readonly ManifestError[];
  };
}

export const EMPTY_MANIFEST_INTERFACE: ManifestInterface = Object.freeze({
  command: '',
  inputs: { files: [], json: [] },
  outputs: { files: [], json: [] },
  mounts: [],
  settings: [],
});

/** The name of an environment variable for a name of the manifest: upper case, underscores for dashes. */
export function environmentName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

/** The tag of a manifest whose program does not write to the image's files. */
const READ_ONLY_ROOT_TAG = 'read-only-root';

export function hasReadOnlyRoot(manifest: Manifest): boolean {
  return manifest.job.tags.includes(READ_ONLY_ROOT_TAG);
}

/** The inputs of a job with this manifest, as an interface document. */
export function inputInterfaceOf(manifest: Manifest): Interface {
  const { files, json } = manifest.job.interface.inputs;
  return {
    files: files.map(({ name, mediaTypes, required, multiple }) => {
      return { name, media_types: mediaTypes, required, multiple };
    }),
    json: json.map(({ name, type, required }) => ({ name, type, required })),
  };
}

/** The outputs of a job with this manifest, as an interface document. */
export function outputInterfaceOf(manifest: Manifest): Interface {
  const { files, json } = manifest.job.interface.outputs;
  return {
    files: files.map(({ name, mediaType = UNKNOWN_MEDIA_TYPE, required, multiple }) => {
      return { name, media_types: [mediaType], required, multiple };
    }),
    json: json.map(({ name, type, required }) => ({ name, type, required })),
  };
}
