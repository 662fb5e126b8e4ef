namespace weft {}
