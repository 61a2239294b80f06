/** Geometries as well-known text. */
import type { Geometry, Position } from './geometry.ts';

/** Such as `POLYGON ((30 10, 40 40, 20 40, 30 10))`. */
export function toWkt(geometry: Geometry): string {
  switch (geometry.type) {
    case 'Point':
      return `POINT (${position(geometry.coordinates)})`;
    case 'LineString':
      return `LINESTRING ${line(geometry.coordinates)}`;
    case 'MultiPoint':
      return `MULTIPOINT (${geometry.coordinates.map((one) => `(${position(one)})`).join(', ')})`;
    case 'Polygon':
      return `POLYGON ${lines(geometry.coordinates)}`;
    case 'MultiLineString':
      return `MULTILINESTRING ${lines(geometry.coordinates)}`;
    case 'MultiPolygon':
      return `MULTIPOLYGON (${geometry.coordinates.map(lines).join(', ')})`;
    case 'GeometryCollection':
      return `GEOMETRYCOLLECTION (${geometry.geometries.map(toWkt).join(', ')})`;
  }
}

function lines(parts: readonly (readonly Position[])[]): string {
  return `(${parts.map(line).join(', ')})`;
}

function line(positions: readonly Position[]): string {
  return `(${positions.map(position).join(', ')})`;
}

function position([longitude, latitude]: Position): string {
  return `${decimal(longitude)} ${decimal(latitude)}`;
}

/** A number without an exponent: well-known text allows exponents, but not all readers do. */
function decimal(value: number): string {
  const text = String(value === 0 ? 0 : value);
  return text.includes('e')
    ? value
        .toFixed(20)
        .replace(/\.?0+$/, '')
        .replace(/^-0$/, '0')
    : text;
}
