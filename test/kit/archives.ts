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
export const xlsxOf = (cells: string, formats: readonly string[]): Promise<Buffer> =>
  workbookOf(`<row r="1">${cells}</row>`, formats);

/** A workbook of one sheet with these rows. */
export const workbookOf = (rows: string, formats: readonly string[] = []): Promise<Buffer> => {
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
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`,
  });
};

const CORE = (title: string): string =>
  `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`;

/** The least presentation: one slide with one text, and a title among its properties. */
export const pptxOf = (text: string, title: string): Promise<Buffer> => {
  const names =
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  return zipOf({
    '[Content_Types].xml': TYPES('ppt/presentation.xml', 'presentationml.presentation'),
    '_rels/.rels': RELATIONS('ppt/presentation.xml'),
    'docProps/core.xml': CORE(title),
    'ppt/presentation.xml': `<p:presentation ${names} xmlns:r="${type}"><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${type}/slide" Target="slides/slide1.xml"/></Relationships>`,
    'ppt/slides/slide1.xml': `<p:sld ${names}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
  });
};

/** The least book: chapters by their references, as the package document has them. */
export const epubOf = (title: string, chapters: Readonly<Record<string, string>>): Promise<Buffer> => {
  const hrefs = Object.keys(chapters);
  const items = hrefs.map((href, n) => `<item id="c${n}" href="${href}" media-type="application/xhtml+xml"/>`);
  const spine = hrefs.map((_, n) => `<itemref idref="c${n}"/>`);
  const files = Object.entries(chapters).map(([href, text]) => [`OPS/${href.replace('&#38;', '&')}`, text]);
  return zipOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    'OPS/book.opf': `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></metadata><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
    ...(Object.fromEntries(files) as Record<string, string>),
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
