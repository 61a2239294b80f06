/**
 * Pulls of images by the engine: one at a time for each image, with credentials of private registries, retried where
 * that may help.
 */
import { statfs } from 'node:fs/promises';
import type Docker from 'dockerode';
import { fullReference, parseReference } from '../../../src/domain/task/image-reference.ts';
import type { Logger } from '../../../src/observe/log.ts';
import type { Clock } from '../../clock.ts';
import { TaskFailure } from '../../task/task-failure.ts';
import { processHint, pullFailure, pullTries } from '../pull-tries.ts';
import { loginOf } from '../registry-auth.ts';
import { SharedPulls } from '../shared-pulls.ts';
import { engineStatus, isAbsent, messageOf, untilAnswered } from './engine.ts';

/** limit: with less free space no image is pulled, because a full disk breaks everything that runs there. */
const FREE_BYTES_MIN = 1024 ** 3;

export interface ImagePullsOptions {
  readonly engine: Docker;
  readonly clock: Clock;
  readonly log: Logger;
  /** Credentials as `docker login` keeps them. */
  readonly authFile: string | undefined;
}

/** Pulls images. Tasks that need the same image share its pull. */
export class ImagePulls {
  readonly #options: ImagePullsOptions;
  readonly #shared = new SharedPulls();

  constructor(options: ImagePullsOptions) {
    this.#options = options;
  }

  /** Throws TaskFailure `pull`. */
  pull(image: string, signal: AbortSignal): Promise<void> {
    return this.#shared.join(image, signal, () => this.#ensure(image));
  }

  async #ensure(image: string): Promise<void> {
    const { clock, log } = this.#options;
    const reference = parseReference(image);
    if (reference === undefined)
      throw new TaskFailure('pull', `'${image}' is not the name of an image${processHint(image)}`);
    if (await this.#isPresent(image)) return;
    await this.#refuseFullDisk();
    const full = fullReference(reference);
    await pullTries({ image, clock, log }, async () => {
      await this.#pullOnce(full, reference.registry);
      // An image that was requested by another name must be known by the name in the task.
      if (!(await this.#isPresent(image))) throw new Error(`the engine does not know it as ${image}`);
    });
  }

  async #isPresent(image: string): Promise<boolean> {
    try {
      await untilAnswered(this.#options.clock, () => this.#options.engine.getImage(image).inspect());
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw new TaskFailure('pull', `the engine cannot look for ${image}: ${messageOf(error)}`);
    }
  }

  /** Checks the disk of the engine's images, if it is on this host. */
  async #refuseFullDisk(): Promise<void> {
    const { engine, clock } = this.#options;
    const { DockerRootDir = '' } = (await untilAnswered(clock, () => engine.info()).catch(() => ({}))) as {
      DockerRootDir?: string;
    };
    const facts = await statfs(DockerRootDir).catch(() => undefined);
    const freeBytes = facts === undefined ? Number.POSITIVE_INFINITY : facts.bavail * facts.bsize;
    if (freeBytes < FREE_BYTES_MIN) {
      const mib = Math.floor(freeBytes / 1024 ** 2);
      throw new TaskFailure(
        'pull',
        `no image is pulled while only ${mib} MiB are free where the engine keeps images`,
      );
    }
  }

  /** The engine answers 200 before it has begun; failures are lines in its progress. */
  async #pullOnce(reference: string, registry: string): Promise<void> {
    const { engine, authFile } = this.#options;
    const login = authFile === undefined ? undefined : await loginOf(authFile, registry);
    const options = login && {
      authconfig: {
        username: login.username,
        password: login.password,
        serveraddress: registry,
        ...(login.identityToken === undefined ? {} : { identitytoken: login.identityToken }),
      },
    };
    const stream = await engine.pull(reference, options ?? {}).catch((error: unknown) => {
      throw pullFailure(engineStatus(error), messageOf(error));
    });
    let rest = '';
    for await (const piece of stream) {
      const lines = (rest + String(piece)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) throwIfError(line);
    }
    throwIfError(rest);
  }
}

function throwIfError(line: string): void {
  if (line.trim() === '') return;
  const { error } = JSON.parse(line) as { error?: string };
  if (error !== undefined) throw pullFailure(undefined, error);
}
