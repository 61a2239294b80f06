/**
 * Guesses the media type of a file from its name; contents are never read. The table has the usual extensions; its last
 * lines are this service's own.
 */

export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream';

/** Suffixes of compression formats, which are removed first. */
const PACKED = new Set(['gz', 'z', 'bz2', 'xz', 'br']);
/** Abbreviations for two suffixes. */
const SHORT: Readonly<Record<string, string>> = {
  tgz: 'tar',
  taz: 'tar',
  tz: 'tar',
  tbz2: 'tar',
  txz: 'tar',
  svgz: 'svg',
};

const TABLE = `
application/epub+zip epub
application/gzip-compressed gzip
application/java-archive jar
application/javascript js mjs
application/json json
application/ld+json jsonld
application/manifest+json webmanifest
application/msword doc dot wiz
application/octet-stream a bin dll exe o obj so
application/oda oda
application/ogg ogx
application/pdf pdf
application/pkcs7-mime p7c
application/postscript ai eps ps
application/rtf rtf
application/vnd.apple.mpegurl m3u m3u8
application/vnd.geo+json geojson
application/vnd.google-earth.kml+xml kml
application/vnd.google-earth.kmz kmz
application/vnd.ms-excel xls xlb
application/vnd.ms-powerpoint ppt pot ppa pps pwz
application/vnd.oasis.opendocument.presentation odp
application/vnd.oasis.opendocument.spreadsheet ods
application/vnd.oasis.opendocument.text odt
application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
application/vnd.sqlite3 sqlite
application/wasm wasm
application/x-7z-compressed 7z
application/x-bcpio bcpio
application/x-cpio cpio
application/x-csh csh
application/x-dvi dvi
application/x-gtar gtar
application/x-hdf hdf
application/x-latex latex
application/x-mif mif
application/x-netcdf cdf nc
application/x-pkcs12 p12 pfx
application/x-pn-realaudio ram
application/x-python-code pyc pyo
application/x-rar-compressed rar
application/x-sh sh
application/x-shar shar
application/x-shockwave-flash swf
application/x-sv4cpio sv4cpio
application/x-sv4crc sv4crc
application/x-tar tar
application/x-tcl tcl
application/x-tex tex
application/x-texinfo texi texinfo
application/x-troff roff t tr
application/x-troff-man man
application/x-troff-me me
application/x-troff-ms ms
application/x-ustar ustar
application/x-wais-source src
application/xml rdf wsdl xml xpdl xsl
application/yaml yaml yml
application/zip zip
audio/aac aac adts
audio/basic au snd
audio/flac flac
audio/midi mid midi
audio/mp4 m4a
audio/mpeg mp2 mp3
audio/ogg oga ogg opus
audio/x-aiff aif aifc aiff
audio/x-wav wav
font/otf otf
font/ttf ttf
font/woff woff
font/woff2 woff2
image/bmp bmp
image/gif gif
image/heic heic
image/heif heif
image/ief ief
image/jp2 jp2
image/jpeg jpe jpeg jpg
image/png png
image/svg+xml svg
image/tiff tif tiff
image/vnd.microsoft.icon ico
image/webp webp
image/x-cmu-raster ras
image/x-portable-anymap pnm
image/x-portable-bitmap pbm
image/x-portable-graymap pgm
image/x-portable-pixmap ppm
image/x-rgb rgb
image/x-xbitmap xbm
image/x-xpixmap xpm
image/x-xwindowdump xwd
message/rfc822 eml mht mhtml nws
text/css css
text/csv csv
text/html htm html
text/markdown markdown md
text/plain bat c h ksh pl txt text log
text/richtext rtx
text/tab-separated-values tsv
text/vcard vcf
text/x-python py
text/x-setext etx
text/x-sgml sgm sgml
video/mp4 mp4
video/mpeg m1v mpa mpe mpeg mpg
video/quicktime mov qt
video/webm webm
video/x-matroska mkv
video/x-msvideo avi
video/x-sgi-movie movie
image/x-hdf5-image h5
image/x-nitf-image ntf nitf
`;

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  TABLE.trim()
    .split('\n')
    .flatMap((line) => {
      const [type = '', ...extensions] = line.split(' ');
      return extensions.map((extension): [string, string] => [extension, type]);
    }),
);

/** `a.TIF` -> image/tiff, `a.tar.gz` -> application/x-tar, `a.gz` and `.tif` -> application/octet-stream. */
export function mediaTypeOf(fileName: string): string {
  const parts = fileName
    .slice(fileName.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^\.+/, '')
    .split('.');
  let extension = parts.length > 1 ? parts.pop() : undefined;
  if (extension !== undefined && PACKED.has(extension))
    extension = parts.length > 1 ? parts.pop() : undefined;
  if (extension === undefined) return UNKNOWN_MEDIA_TYPE;
  const full = Object.hasOwn(SHORT, extension) ? (SHORT[extension] ?? extension) : extension;
  return BY_EXTENSION.get(full) ?? UNKNOWN_MEDIA_TYPE;
}
