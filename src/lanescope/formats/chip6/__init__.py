"""Raw chunk streams of the generation that public decoders call chip6."""
