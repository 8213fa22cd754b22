import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** An archive of files, deflated. */
export function zipOf(files: Readonly<Record<string, Buffer | string>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content as string), name);
  zip.end();
  return buffer(zip.outputStream);
}

const TYPES = (main: string, type: string): string =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;
const RELATIONS = (main: string): string =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${main}"/></Relationships>`;

/** The least Word document with this XML as its text, and further files. */
export const docxOf = (document: string, more: Readonly<Record<string, Buffer | string>> = {}): Promise<Buffer> =>
  zipOf({
    '[Content_Types].xml': TYPES('word/document.xml', 'wordprocessingml.document'),
    '_rels/.rels': RELATIONS('word/document.xml'),
    'word/document.xml': document,
    ...more,
  });

/** The least workbook: one sheet with one row, whose cells refer by their styles to formats of numbers. */
export const xlsxOf = (cells: string, formats: readonly string[]): Promise<Buffer> => {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const codes = formats.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`).join('');
  const styles = formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`).join('');
  return zipOf({
    '[Content_Types].xml': TYPES('xl/workbook.xml', 'spreadsheetml.sheet'),
    '_rels/.rels': RELATIONS('xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${type}"><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${type}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${type}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${codes}</numFmts><cellXfs>${styles}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData><row r="1">${cells}</row></sheetData></worksheet>`,
  });
};

/** A Word document of one paragraph; `prolog` stands before its root element. */
export const wordXml = (text: string, prolog = ''): string =>
  `<?xml version="1.0"?>${prolog}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;

/** A PDF of one page whose content stream is given; deflated where `isDeflated`. */
export function pdfOf(content: Buffer, isDeflated: boolean): Buffer {
  const filter = isDeflated ? ' /Filter /FlateDecode' : '';
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  const add = (...chunks: (Buffer | string)[]): void => {
    offsets.push(parts.reduce((sum, { length }) => sum + length, 0));
    parts.push(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))));
  };
  add('1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n');
  add('2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n');
  add(
    '3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>\nendobj\n',
  );
  add(`4 0 obj\n<< /Length ${content.length}${filter} >>\nstream\n`, content, '\nendstream\nendobj\n');
  add('5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n');
  const start = parts.reduce((sum, { length }) => sum + length, 0);
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(`xref\n0 6\n0000000000 65535 f \n${rows}${trailer}`)]);
}
