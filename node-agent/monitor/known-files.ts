/**
 * The names and identities of files that were reported and acknowledged, and which of them the present listing has
 * found. There may be a million, so each takes only two short texts, a place in a map and a byte: some 150 bytes.
 */
export class KnownFiles {
  readonly #places = new Map<string, number>();
  readonly #identities: string[] = [];
  #marks = new Uint8Array(1_024);
  readonly #free: number[] = [];
  #mark = 0;

  get size(): number {
    return this.#places.size;
  }

  identityOf(name: string): string | undefined {
    const place = this.#places.get(name);
    return place === undefined ? undefined : this.#identities[place];
  }

  /** Adds a file with this identity. */
  keep(name: string, identity: string): void {
    const place = this.#places.get(name) ?? this.#free.pop() ?? this.#identities.length;
    this.#places.set(name, place);
    this.#identities[place] = identity;
    if (place === this.#marks.length) {
      const larger = new Uint8Array(2 * place);
      larger.set(this.#marks);
      this.#marks = larger;
    }
    this.#marks[place] = this.#mark;
  }

  /** Marks a file as found by the present listing. */
  found(name: string): void {
    const place = this.#places.get(name);
    if (place !== undefined) this.#marks[place] = this.#mark;
  }

  delete(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined) return;
    this.#places.delete(name);
    this.#identities[place] = '';
    this.#free.push(place);
  }

  /** Marks all names as not found. */
  beginListing(): void {
    this.#mark = (this.#mark + 1) % 256;
  }

  /** Names that were not found since then; names may be deleted and kept meanwhile. `undefined`: one that was. */
  *notFound(): Generator<string | undefined> {
    for (const [name, place] of this.#places) yield this.#marks[place] === this.#mark ? undefined : name;
  }
}
