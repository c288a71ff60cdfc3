// Bundles the program for a package or an image: dist/argosy.js, with the programs of child processes beside it.
//
//   npm run build
import { globSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { rolldown } from 'rolldown';

rmSync('dist', { recursive: true, force: true });
const workers = Object.fromEntries(globSync('src/**/*.worker.ts').map((file) => [basename(file, '.ts'), file]));
const bundle = await rolldown({
  input: { argosy: 'src/main/argosy.ts', ...workers },
  platform: 'node',
  // Dependencies stay packages: they are installed beside the program.
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  // Child programs are named by their source beside the file that starts them; here both lie in one folder.
  plugins: [{ name: 'workers', renderChunk: (code) => code.replaceAll(/\.worker\.ts\b/g, '.worker.js') }],
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
const bytes = output.reduce((sum, file) => sum + statSync(`dist/${file.fileName}`).size, 0);
console.log(`dist: ${output.length} files, ${Math.round(bytes / 1024)} KiB`);
