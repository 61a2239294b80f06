/** A law of the system did not hold in a simulated world. */
export class Broken extends Error {
  override readonly name = 'Broken';
  readonly law: string;

  constructor(law: string, what: string, atMs: number) {
    super(`${law}: ${what} (after ${(atMs / 1_000).toFixed(3)} s)`);
    this.law = law;
  }
}
