import { testBuiltIns } from './built-ins.ts';

testBuiltIns('embedded');
