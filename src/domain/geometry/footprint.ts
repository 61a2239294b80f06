/** The place of a file on Earth, as it is stored and shown. */

export interface Footprint {
  /** Well-known text. */
  readonly geometry: string;
  /** Well-known text of the centroid. */
  readonly centerPoint: string;
  /** ISO 3166-1 alpha-3 codes, ascending. */
  readonly countries: readonly string[];
}
