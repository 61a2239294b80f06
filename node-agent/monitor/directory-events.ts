/**
 * Collects the runtime's events of one directory into evidence for each name: the names to check, and how they appeared
 * according to the events. It does not read the files.
 */
import { type FSWatcher, watch } from 'node:fs';
import { isHidden, nameOf } from '../../src/storage/file-name.ts';
import type { Evidence } from './arrival-proof.ts';
import type { EventWatermark } from './event-watermark.ts';

/** limit: names that wait to be checked; beyond it a listing is requested instead. */
const NAMES_MAX = 50_000;

interface Heard {
  isFromAppearance: boolean;
  changeCount: number;
  appearanceCount: number;
  watermarkMs: number | undefined;
  followsSuffixed: boolean;
}

export interface EventHandlers {
  /** A name appeared, vanished (`isUrgent`) or changed; called for each event. */
  onName(isUrgent: boolean): void;
  /** The watcher is broken and closed. */
  onError(error: Error): void;
  /** There are more names than can be kept, so a listing is needed. */
  onTooMany(): void;
}

export class DirectoryEvents {
  readonly #watermark: EventWatermark;
  readonly #suffix: string;
  readonly #handlers: EventHandlers;
  readonly #watcher: FSWatcher;
  #withEvents = new Map<string, Heard>();
  #lastName = '';
  #isTrusted = false;

  /** Throws if the directory cannot be watched (it is absent, or the system's limit of watches is reached). */
  constructor(root: string, suffix: string, watermark: EventWatermark, handlers: EventHandlers) {
    this.#watermark = watermark;
    this.#suffix = suffix;
    this.#handlers = handlers;
    this.#watcher = watch(root, 'buffer', (type, name) => this.#hear(type, name));
    this.#watcher.on('error', (error) => {
      this.close();
      handlers.onError(error);
    });
  }

  /** Sets whether no event can have been missed; only then is their absence evidence. */
  trust(isTrusted: boolean): void {
    this.#isTrusted = isTrusted;
    if (isTrusted) return;
    for (const heard of this.#withEvents.values()) heard.isFromAppearance = false;
  }

  /** The evidence since the last call, by name. Call it before the names are checked. */
  take(): Map<string, Evidence> {
    const heard = this.#withEvents;
    this.#withEvents = new Map();
    this.#lastName = '';
    return new Map(
      Array.from(heard, ([name, { isFromAppearance, changeCount, watermarkMs, followsSuffixed }]) => [
        name,
        { isFromAppearance, hasChanged: changeCount > 0, watermarkMs, followsSuffixed },
      ]),
    );
  }

  close(): void {
    this.#watcher.close();
  }

  #hear(type: string, bytes: Buffer | null): void {
    this.#watermark.noteEvent();
    if (bytes === null) {
      this.#handlers.onTooMany();
      return;
    }
    const name = nameOf(bytes);
    const isAppearance = type === 'rename';
    const previous = this.#lastName;
    this.#lastName = name;
    if (isHidden(name)) return;
    if (this.#withEvents.size >= NAMES_MAX && !this.#withEvents.has(name)) {
      this.#handlers.onTooMany();
      return;
    }
    const heard = this.#withEvents.get(name) ?? this.#begin(name, isAppearance);
    if (!isAppearance) heard.changeCount += 1;
    else {
      heard.appearanceCount += 1;
      heard.followsSuffixed = this.#isPassingSuffixed(previous, name);
    }
    this.#handlers.onName(isAppearance);
  }

  #begin(name: string, isAppearance: boolean): Heard {
    const heard = {
      isFromAppearance: isAppearance && this.#isTrusted,
      changeCount: 0,
      appearanceCount: 0,
      watermarkMs: this.#watermark.watermarkMs,
      followsSuffixed: false,
    };
    this.#withEvents.set(name, heard);
    return heard;
  }

  /** The previous event was about the suffixed name, which appeared, was written and vanished since the last check. */
  #isPassingSuffixed(previous: string, name: string): boolean {
    if (this.#suffix === '' || previous !== name + this.#suffix) return false;
    const suffixed = this.#withEvents.get(previous);
    return suffixed !== undefined && suffixed.appearanceCount >= 2 && suffixed.changeCount > 0;
  }
}
