# Makes the comments of the public headers Doxygen's: of declarations, behind members, of the file.
s|^// -\{20,\}.*$||
1s|^// |/// @file\n/// |
s|^\( *\)// |\1/// |
s|^\( *\)//$|\1///|
/^}/!s|\([^ /].*[;,{)>0-9a-zA-Z_]\)  *// |\1  ///< |
1s|^/\* |/** @file\n * |
s|^\( *\)/\* |\1/** |
s|\([^ ].*[;,{)0-9a-zA-Z_]\)  */\* |\1 /**< |
/^ *\/\/\//s|<\([a-z]\)|\\<\1|g
