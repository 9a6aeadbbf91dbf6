"""How questions on images are asked: the images first, then one text, in one turn of the user.

A class of data sets puts the images of a row in front of its question, each behind a tag (`AIS_IMAGE_START`), as AISBench's
`MMPromptTemplate` reads them. An image is an address: of a file in the user's cache, which a served model is sent as a data
URL, or of the web, which it fetches itself.
"""

image_part = dict(type='image_url', image_url=dict(url='{image}'))
